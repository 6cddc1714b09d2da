"""A TCP proxy on loopback that can hold back what clients send over TLS, and let it go later: the late write of an old
leader, on the wire. What a client has sent is delivered even if it has hung up meanwhile."""

import socket
import threading


LARGEST_ALERT = 5 + 19  # bytes of an encrypted alert of TLS 1.3, such as "I hang up"; no request is that short


def without_alerts(data):
    """The TLS records of the data, without those by which a client would take back what it has asked for."""
    kept = b""
    while len(data) >= 5:
        size = 5 + int.from_bytes(data[3:5], "big")
        if size > LARGEST_ALERT:
            kept += data[:size]
        data = data[size:]
    return kept


class HeldProxy:
    def __init__(self, host, port):
        self.target = (host, port)
        self.open = threading.Event()
        self.open.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self):
        self.open.clear()

    def let_go(self):
        self.open.set()

    def end(self):
        self.let_go()
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            threading.Thread(target=self._to_server, args=(client, server), daemon=True).start()
            threading.Thread(target=self._to_client, args=(server, client), daemon=True).start()

    def _to_server(self, client, server):
        try:
            while data := client.recv(65536):
                if not self.open.is_set():
                    self.open.wait()
                    data = without_alerts(data + self._waiting(client))
                server.sendall(data)
        except OSError:
            pass
        # The server is left to answer, if only into the void: hanging up would take the request back too.

    @staticmethod
    def _waiting(client):
        data = b""
        client.setblocking(False)
        try:
            while more := client.recv(65536):
                data += more
        except OSError:
            pass
        client.setblocking(True)
        return data

    @staticmethod
    def _to_client(server, client):
        try:
            while data := server.recv(65536):
                client.sendall(data)
        except OSError:
            pass
        client.close()
