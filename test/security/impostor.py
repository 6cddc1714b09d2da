"""A server on loopback that is not the one the client believes in, or that misbehaves: it remembers all it was told."""

import socket
import ssl
import threading


class Impostor:
    """Speaks TLS with this pair, or plain text without one, and gives every request the same answer."""

    def __init__(self, pair=None, chain=None, client_authority=None, newest=None, answer=b"", seclevel=None):
        self.answer, self.heard, self.lock = answer, b"", threading.Lock()
        self.context = self._context(pair, chain, client_authority, newest, seclevel) if pair else None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    @staticmethod
    def _context(pair, chain, client_authority, newest, seclevel):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if seclevel is not None:  # what this library would itself refuse to serve
            context.set_ciphers(f"ALL:@SECLEVEL={seclevel}")
        if newest:
            context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
        context.load_cert_chain(chain or pair.certificate, pair.key)
        if client_authority:
            context.load_verify_locations(client_authority)
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection):
        connection.settimeout(30)
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            while piece := connection.recv(65536):
                with self.lock:
                    self.heard += piece
                connection.sendall(self.answer)
        except OSError:
            pass  # the client has turned away, as it should
        finally:
            connection.close()

    def close(self):
        # close alone does not wake the thread that accepts.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


def http(status, body="", headers=()):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", body]
    return "\r\n".join(lines).encode()
