#!/usr/bin/env python3
"""Every check of style.py finds what it is there for, and leaves alone what it is not."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import style

HACK = Path(__file__).resolve().parents[2] / "hack"


def messages(path, text):
    return [message for _, _, message in style.check_text(path, text)]


class TextChecks(unittest.TestCase):
    def assert_found(self, path, text, part):
        found = messages(path, text)
        self.assertEqual(len(found), 1, f"{text!r} gave {found}")
        self.assertIn(part, found[0])

    def assert_clean(self, path, text):
        self.assertEqual(messages(path, text), [])

    def test_a_sleep_is_found(self):
        for call in ["std::this_thread::sleep_for(1s);", "this_thread::sleep_until (t);", "usleep(5);", "::nanosleep(&t, 0);"]:
            self.assert_found("test/core/a_test.cc", call, "wait for the event")

    def test_a_sleep_is_only_looked_for_in_sources(self):
        self.assert_clean("hack/x.sh", "usleep(5)")

    def test_a_detached_thread_is_found(self):
        self.assert_found("lib/core/a.cc", "thread.detach();", "loses a thread")
        self.assert_found("lib/core/a.cc", "worker->detach( );", "loses a thread")
        self.assert_clean("lib/core/a.cc", "connection.detach_from(loop);")

    def test_leftovers_are_found(self):
        for word in ["TO" + "DO", "FIX" + "ME", "XX" + "X"]:
            self.assert_found("lib/core/a.cc", f"// {word}: later", "leftover")
            self.assert_found("hack/a.sh", f"# {word}", "leftover")
        self.assert_clean("hack/a.sh", "mktemp -d dir." + "X" * 6)

    def test_paths_of_one_machine_are_found(self):
        for path in ["ro" + "ot", "wo" + "rk", "ho" + "me"]:
            self.assert_found("README.md", f"see /{path}/x", "one machine")
            self.assert_found("hack/a.sh", f'cd "/{path}"', "one machine")
            self.assert_clean("hack/a.sh", f"cd build/{path}/x; cd $top/{path}/y; cd ~/{path}/z")

    def test_the_line_is_named(self):
        (finding,) = style.check_text("lib/core/a.cc", "int a;\n\nt.detach();\n")
        self.assertEqual(finding[:2], ("lib/core/a.cc", 3))


class IncludeChecks(unittest.TestCase):
    def includes(self, path, line):
        return [message for _, message in style.check_include(path, line + "\n")]

    def test_core_includes_no_other_folder(self):
        for folder in ["json", "file", "http", "redis", "testing"]:
            self.assertTrue(self.includes("lib/core/a.cc", f'#include "{folder}/a.h"'), folder)
        self.assertFalse(self.includes("lib/core/a.cc", '#include "core/election.h"'))

    def test_a_backend_includes_no_other_backend(self):
        self.assertTrue(self.includes("lib/file/a.cc", '#include "redis/connection.h"'))
        self.assertTrue(self.includes("lib/redis/a.cc", '#include "consul/session.h"'))
        self.assertFalse(self.includes("lib/redis/a.cc", '#include "net/stream.h"'))

    def test_transports_know_nothing_of_elections(self):
        self.assertTrue(self.includes("lib/http/a.h", '#include "leaderelection/resource_lock.h"'))
        self.assertTrue(self.includes("lib/net/a.h", '#include "core/election.h"'))
        self.assertFalse(self.includes("lib/http/a.h", '#include "leaderelection/clock.h"'))

    def test_a_public_header_includes_public_headers_only(self):
        self.assertTrue(self.includes("include/leaderelection/a.h", '#include "core/election.h"'))
        self.assertTrue(self.includes("include/leaderelection/a.h", "#include <core/election.h>"))
        self.assertTrue(self.includes("include/leaderelection/a.h", '#include "election.h"'))
        self.assertFalse(self.includes("include/leaderelection/a.h", '#include "leaderelection/clock.h"'))
        self.assertFalse(self.includes("include/leaderelection/a.h", "#include <chrono>"))

    def test_a_command_uses_public_headers_only(self):
        self.assertTrue(self.includes("cmd/leader-elector/main.cc", '#include "core/election.h"'))
        self.assertFalse(self.includes("cmd/leader-elector/main.cc", '#include "leaderelection/leader_elector.h"'))

    def test_a_folder_without_arrows_is_found(self):
        self.assertTrue(self.includes("lib/helpers/a.cc", "#include <chrono>"))


class TreeChecks(unittest.TestCase):
    def test_a_stranger_at_the_top_level_is_found(self):
        found = style.check_top_level(["notes.txt", "lib/core/a.cc", ".gitignore", "README.md"])
        self.assertEqual([name for name, _, _ in found], ["notes.txt"])

    def test_a_header_that_leans_on_another_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder)
            headers = tree / "include" / "leaderelection"
            headers.mkdir(parents=True)
            (headers / "good.h").write_text("#include <string>\ninline std::string f() { return {}; }\n")
            (headers / "bad.h").write_text("inline std::string f() { return {}; }\n")
            self.assertEqual(style.check_stands_alone(tree, "include/leaderelection/good.h", "c++", ["include"]), [])
            (finding,) = style.check_stands_alone(tree, "include/leaderelection/bad.h", "c++", ["include"])
            self.assertIn("does not compile alone", finding[2])

    def test_a_tree_without_git_is_checked_too(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder)
            (tree / "lib" / "core").mkdir(parents=True)
            (tree / "lib" / "core" / "a.cc").write_text("t.detach();\n")
            (tree / "build").mkdir()
            (tree / "build" / "b.cc").write_text("t.detach();\n")
            found = style.check_tree(tree, None, [])
            self.assertEqual([path for path, _, _ in found], ["lib/core/a.cc"])


class ScriptChecks(unittest.TestCase):
    def passes(self, script, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text)
            return subprocess.run([HACK / script, path], capture_output=True, check=False).returncode == 0

    def test_a_source_that_is_badly_laid_out_is_found(self):
        self.assertTrue(self.passes("verify-format.sh", "a.cc", "int a;\n"))
        self.assertFalse(self.passes("verify-format.sh", "a.cc", "int  a ;\n"))

    def test_a_script_that_forgets_its_quotes_is_found(self):
        self.assertTrue(self.passes("verify-shell.sh", "a.sh", '#!/bin/bash\nrm "$1"\n'))
        self.assertFalse(self.passes("verify-shell.sh", "a.sh", "#!/bin/bash\nrm $1\n"))


if __name__ == "__main__":
    unittest.main()
