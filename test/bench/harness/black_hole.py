"""A TCP proxy that can stop passing anything on: connections stay open, new ones are taken, and nobody answers, as when
packets are dropped."""

import selectors
import socket
import threading


class BlackHole:
    def __init__(self, upstream):
        self.upstream = upstream  # a port of loopback
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.is_open = threading.Event()
        self.is_open.set()
        self.peers = {}  # socket -> the one across
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.wake, self.woken = socket.socketpair()
        self.selector.register(self.woken, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def drop(self):
        self.is_open.clear()

    def _serve(self):
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.woken:
                    return
                if key.fileobj is self.listener:
                    self._accept()
                else:
                    self._pass_on(key.fileobj)

    def _accept(self):
        near, _ = self.listener.accept()
        far = socket.create_connection(("127.0.0.1", self.upstream))
        for one, other in ((near, far), (far, near)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.peers[one] = other
            self.selector.register(one, selectors.EVENT_READ)

    def _pass_on(self, source):
        """What arrives from then on is swallowed, an end of the connection included."""
        try:
            data = source.recv(65536)
        except OSError:
            data = b""
        if data and not self.is_open.is_set():
            return
        try:
            if data:
                self.peers[source].sendall(data)
                return
            if self.is_open.is_set():
                self.peers[source].shutdown(socket.SHUT_WR)
        except OSError:
            pass
        self.selector.unregister(source)

    def close(self):
        self.wake.send(b"x")
        self.thread.join()
        for one in [*self.peers, self.listener, self.wake, self.woken]:
            one.close()
        self.selector.close()
