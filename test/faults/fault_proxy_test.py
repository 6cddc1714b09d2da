#!/usr/bin/env python3
"""Each fault of the proxy is what it says: shown on a server that answers every line with the same line."""

import socket
import socketserver
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from fault_proxy import FaultProxy  # noqa: E402

SOON, LONG = 0.3, 30  # seconds: shows that nothing comes; is never reached by what does come


class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.server.heard.append(line)
            self.wfile.write(line)


class FaultProxyTest(unittest.TestCase):
    def setUp(self):
        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo)
        self.server.daemon_threads = True
        self.server.heard = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.proxy = FaultProxy(self.server.server_address[1])
        self.clients = []

    def tearDown(self):
        for client in self.clients:
            client.close()
        self.proxy.close()
        self.server.shutdown()
        self.server.server_close()

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.proxy.port), timeout=LONG)
        self.clients.append(client)
        return client

    def ask(self, client, patience=LONG, line=b"hello\n"):
        """The answer, or "silence", or "reset", or "end"."""
        client.settimeout(patience)
        try:
            client.sendall(line)
            answer = b""
            while not answer.endswith(b"\n"):
                piece = client.recv(100)
                if not piece:
                    return "end"
                answer += piece
            return answer
        except TimeoutError:
            return "silence"
        except (ConnectionResetError, BrokenPipeError):
            return "reset"

    def connected(self):
        client = self.connect()
        self.assertEqual(self.ask(client), b"hello\n")
        return client

    def wait_until_heard(self, line):
        deadline = time.monotonic() + LONG
        while line not in self.server.heard:
            self.assertLess(time.monotonic(), deadline, "the request did not arrive")
            time.sleep(0.01)

    def test_without_a_fault_all_passes(self):
        client = self.connected()
        self.assertEqual(self.ask(client, line=b"x" * 500_000 + b"\n"), b"x" * 500_000 + b"\n")
        self.assertEqual(self.proxy.counts["faults"], 0)

    def test_a_cut_holds_what_is_sent_and_heal_delivers_it_late(self):
        client = self.connected()
        self.proxy.cut()
        self.assertEqual(self.ask(client, SOON, b"late\n"), "silence")
        self.assertEqual(self.server.heard, [b"hello\n"])
        self.assertEqual(self.ask(self.connect(), SOON), "silence")
        self.proxy.heal()
        client.settimeout(LONG)
        self.assertEqual(client.recv(100), b"late\n")

    def test_what_is_dropped_is_lost_for_good(self):
        client = self.connected()
        self.proxy.drop()
        self.assertEqual(self.ask(client, SOON), "silence")
        self.proxy.heal()
        self.assertEqual(self.ask(client, SOON), "silence")
        self.assertEqual(self.server.heard, [b"hello\n"])
        self.connected()

    def test_half_open_breaks_connections_and_answers_no_new_one(self):
        client = self.connected()
        self.proxy.half_open()
        self.assertEqual(self.ask(client), "reset")
        self.assertEqual(self.ask(self.connect(), SOON), "silence")
        self.proxy.heal()
        self.connected()

    def test_reset_breaks_connections_and_every_new_one(self):
        client = self.connected()
        self.proxy.reset()
        self.assertEqual(self.ask(client), "reset")
        with self.assertRaises(ConnectionResetError):
            other = self.connect()
            while other.recv(100):
                pass
        self.proxy.heal()
        self.connected()

    def test_reset_once_lets_the_next_connection_live(self):
        client = self.connected()
        self.proxy.reset_once()
        self.assertEqual(self.ask(client), "reset")
        self.connected()

    def test_delayed_replies_delay_no_request(self):
        client = self.connected()
        self.proxy.delay(replies=4 * SOON)
        self.assertEqual(self.ask(client, SOON, b"late\n"), "silence")
        self.wait_until_heard(b"late\n")
        client.settimeout(LONG)
        self.assertEqual(client.recv(100), b"late\n")

    def test_delayed_requests_arrive_late(self):
        client = self.connected()
        self.proxy.delay(requests=2 * SOON)
        self.assertEqual(self.ask(client, SOON, b"late\n"), "silence")
        self.assertEqual(self.server.heard, [b"hello\n"])
        client.settimeout(LONG)
        self.assertEqual(client.recv(100), b"late\n")

    def test_a_drip_is_one_byte_at_a_time(self):
        client = self.connected()
        self.proxy.drip(0.001)
        self.assertEqual(self.ask(client), b"hello\n")
        self.assertEqual(self.proxy.counts["bytes dripped"], 12)

    def test_a_lost_reply_is_that_of_a_request_that_was_carried_out(self):
        client = self.connected()
        self.proxy.lose_replies(1)
        self.assertEqual(self.ask(client, LONG, b"commit\n"), "reset")
        self.assertEqual(self.server.heard, [b"hello\n", b"commit\n"])
        self.assertEqual(self.proxy.lost_replies(), 1)
        self.connected()

    def test_connections_after_it_lose_no_reply(self):
        self.connected()
        self.proxy.lose_replies(1)
        self.connected()
        self.assertEqual(self.proxy.lost_replies(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
