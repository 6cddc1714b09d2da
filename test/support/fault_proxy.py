"""A TCP proxy on loopback that does to one candidate's connections what networks do. It looks at bytes only, so TLS passes
through it. All proxies of a process share one thread; every method may be called from any.
"""

import asyncio
import collections
import contextlib
import socket
import struct
import threading

CHUNK = 1 << 16


class Reactor:
    """The thread that all proxies run on, from the first of them to the end of the process."""

    loop = None
    lock = threading.Lock()

    @classmethod
    def call(cls, coroutine):
        with cls.lock:
            if cls.loop is None:
                cls.loop = asyncio.new_event_loop()
                threading.Thread(target=cls.loop.run_forever, name="proxies", daemon=True).start()
        return asyncio.run_coroutine_threadsafe(coroutine, cls.loop).result(30)


class Connection:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.asked = False  # the client has sent something that nothing has come back for yet
        self.loses_reply = False
        self.mute = False  # accepted, and never answered
        self.tasks = []

    def close(self, writer, reset):
        if reset:
            raw = writer.get_extra_info("socket")
            with contextlib.suppress(OSError):
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()


class FaultProxy:
    def __init__(self, upstream):
        self.upstream = upstream  # a port of loopback
        self.counts = collections.Counter()
        self.connections = set()
        self._heal()
        Reactor.call(self._listen())

    # What it can do. Each stays until heal, but for reset_once and lose_replies.

    def heal(self):
        """What was held is delivered now, as late as TCP would after a partition. What was dropped is not."""
        self._do(self._heal)

    def cut(self):
        """A partition without RST: no byte passes; connections are accepted, and hang."""
        self._do(lambda: (self._count("cut"), self.open.clear()))

    stall = cut

    def drop(self):
        """As cut, but what was sent meanwhile is lost for good: those connections stay dead after heal."""
        self._do(lambda: (self._count("drop"), setattr(self, "dropping", True)))

    def half_open(self):
        """Connections break; new ones are accepted and never answered."""
        self._do(lambda: (self._count("half_open"), self._abort_all(), setattr(self, "accepting", "mute")))

    def reset(self):
        """Connections break, and new ones as soon as they are there."""
        self._do(lambda: (self._count("reset"), self._abort_all(), setattr(self, "accepting", "reset")))

    def reset_once(self):
        self._do(lambda: (self._count("reset_once"), self._abort_all()))

    def delay(self, requests=0.0, replies=0.0):
        self._do(lambda: (self._count("delay"), setattr(self, "delays", (requests, replies))))

    def drip(self, pause):
        """One byte at a time, with this pause after each."""
        self._do(lambda: (self._count("drip"), setattr(self, "pause", pause)))

    def lose_replies(self, count=1):
        """Each of the connections there are now: its next request is forwarded, and when the reply comes the connection
        is reset instead. So many in all."""
        self._do(lambda: self._lose(count))

    def lost_replies(self):
        return self.counts["replies lost"]

    def close(self):
        Reactor.call(self._close())

    # How.

    def _do(self, action):
        async def on_loop():
            action()

        Reactor.call(on_loop())

    def _count(self, what):
        self.counts["faults"] += 1
        self.counts[what] += 1

    def _heal(self):
        self.accepting, self.dropping, self.delays, self.pause, self.to_lose = "yes", False, (0.0, 0.0), 0.0, 0
        if not hasattr(self, "open"):
            self.open = asyncio.Event()
        self.open.set()

    def _lose(self, count):
        self.to_lose = count
        for connection in self.connections:
            connection.loses_reply = True

    async def _listen(self):
        self.server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def _close(self):
        self.server.close()
        self._abort_all()
        await self.server.wait_closed()

    def _abort_all(self):
        for connection in list(self.connections):
            self._abort(connection)

    def _abort(self, connection):
        self.connections.discard(connection)
        connection.close(connection.writer, reset=True)
        for task in connection.tasks:
            task.cancel()

    async def _accept(self, reader, writer):
        self.counts["connections"] += 1
        connection = Connection(reader, writer)
        if self.accepting == "reset":
            return connection.close(writer, reset=True)
        self.connections.add(connection)
        connection.tasks.append(asyncio.current_task())
        connection.mute = self.accepting == "mute"
        upstream = None
        try:
            while connection.mute and await reader.read(CHUNK):
                self.counts["bytes dropped"] += 1
            if connection.mute:
                return
            await self.open.wait()
            back, upstream = await asyncio.open_connection("127.0.0.1", self.upstream)
            pumps = [self._pump(connection, reader, upstream, 0), self._pump(connection, back, writer, 1)]
            connection.tasks += [asyncio.ensure_future(pump) for pump in pumps]
            await asyncio.wait(connection.tasks[1:], return_when=asyncio.FIRST_COMPLETED)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self.connections.discard(connection)
            for task in connection.tasks[1:]:
                task.cancel()
            connection.close(writer, reset=False)
            if upstream:
                connection.close(upstream, reset=False)

    async def _pump(self, connection, reader, writer, reply):
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                await self._pass(connection, writer, data, reply)

    async def _pass(self, connection, writer, data, reply):
        if self.delays[reply]:
            self.counts["chunks delayed"] += 1
            await asyncio.sleep(self.delays[reply])
        if not self.open.is_set():
            self.counts["chunks held"] += 1
            await self.open.wait()
        if self.dropping or connection.mute:
            connection.mute = True  # what follows would make no sense to the other side
            self.counts["bytes dropped"] += len(data)
            return
        if reply and connection.asked and connection.loses_reply and self.to_lose > 0:
            self.to_lose -= 1
            self.counts["faults"] += 1
            self.counts["replies lost"] += 1
            return self._abort(connection)
        connection.asked = not reply
        await self._write(writer, data)

    async def _write(self, writer, data):
        while self.pause and data:
            self.counts["bytes dripped"] += 1
            writer.write(data[:1])
            await writer.drain()
            data = data[1:]
            await asyncio.sleep(self.pause)
        writer.write(data)
        await writer.drain()
