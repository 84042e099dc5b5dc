"""Where the program is looked for, and what is said when it can't be run."""

import os
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support import fake

import exec_ext
from exec_ext import _binary


def program(folder, name="exec-ext", text="#!/bin/sh\nexit 0\n", mode=0o755):
    path = Path(folder) / name
    path.write_text(text)
    path.chmod(mode)
    return str(path)


@unittest.skipIf(sys.platform == "win32", "posix modes and scripts")
class FindTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in ("arg", "env", "wheel", "path"):
            (self.folder / name).mkdir()
        self.own = self.folder / "wheel" / "exec-ext"
        patches = [
            mock.patch.object(_binary, "packaged", lambda: self.own),
            mock.patch.dict(os.environ, {"PATH": str(self.folder / "path")}),
        ]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)
        os.environ.pop("EXEC_EXT_PATH", None)

    def test_order_argument_environment_wheel_path(self):
        on_path = program(self.folder / "path")
        self.assertEqual(_binary.find(), on_path)
        own = program(self.folder / "wheel")
        self.assertEqual(_binary.find(), own)
        os.environ["EXEC_EXT_PATH"] = program(self.folder / "env")
        self.assertEqual(_binary.find(), os.environ["EXEC_EXT_PATH"])
        arg = program(self.folder / "arg")
        self.assertEqual(_binary.find(arg), arg)
        self.assertEqual(_binary.find(Path(arg)), arg)

    def test_nothing_found_lists_every_place(self):
        with self.assertRaises(exec_ext.BinaryNotFound) as caught:
            _binary.find()
        self.assertEqual(len(caught.exception.tried), 4)
        for word in ("binary", "EXEC_EXT_PATH", str(self.own), "PATH"):
            self.assertIn(word, str(caught.exception))
        self.assertIn("Install a wheel", caught.exception.next_step)

    def test_a_named_place_without_program_is_not_passed_over(self):
        program(self.folder / "path")
        with self.assertRaises(exec_ext.BinaryNotFound) as caught:
            _binary.find(str(self.folder / "nowhere"))
        self.assertIn("nowhere", str(caught.exception))
        os.environ["EXEC_EXT_PATH"] = str(self.folder / "gone")
        with self.assertRaises(exec_ext.BinaryNotFound) as caught:
            _binary.find()
        self.assertIn("EXEC_EXT_PATH", str(caught.exception))

    def test_not_executable(self):
        if os.geteuid() == 0:
            path = program(self.folder / "arg", mode=0o644)  # root may run only what someone may
        else:
            path = program(self.folder / "arg", mode=0o600)
        with self.assertRaises(exec_ext.NotExecutable) as caught:
            _binary.find(path)
        self.assertIn("chmod +x", caught.exception.next_step)

    def test_the_wheels_own_program_gets_its_mode_back(self):
        own = program(self.folder / "wheel", mode=0o644)
        self.assertEqual(_binary.find(), own)
        self.assertTrue(os.stat(own).st_mode & stat.S_IXUSR)


@unittest.skipIf(sys.platform == "win32", "posix modes and scripts")
class StartTest(unittest.IsolatedAsyncioTestCase):
    async def fails(self, error, **options):
        ext = exec_ext.ExecExt(**options)
        with self.assertRaises(error) as caught:
            await ext.start()
        self.assertTrue(caught.exception.next_step)
        return caught.exception

    async def test_wrong_platform(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "exec-ext"
            path.write_bytes(b"MZ\x90\x00 not for this system")
            path.chmod(0o755)
            error = await self.fails(exec_ext.WrongPlatform, binary=str(path))
        self.assertIn(sys.platform, str(error))

    async def test_missing_interpreter(self):
        with tempfile.TemporaryDirectory() as folder:
            path = program(folder, text="#!/no/such/interpreter\n")
            await self.fails(exec_ext.NotExecutable, binary=path)

    async def test_version_mismatch(self):
        error = await self.fails(exec_ext.VersionMismatch, binary=fake("refuses-version"))
        self.assertEqual(error.supported, [2, 3])
        error = await self.fails(exec_ext.VersionMismatch, binary=fake("other-version"))
        self.assertEqual(error.supported, 2)

    async def test_refused_config_says_where(self):
        error = await self.fails(exec_ext.RequestError, binary=fake("refuses-config"))
        self.assertEqual(error.code, -32602)
        self.assertIn("config.limits", str(error))

    async def test_crash_at_start_gives_code_and_log(self):
        error = await self.fails(exec_ext.StartFailed, binary=fake("crashes"))
        self.assertEqual(error.exit_code, 42)
        self.assertIn("no room on the ark", str(error))
        self.assertIn(f"Run `{shlex.join([*fake('crashes'), 'serve'])}` by hand", error.next_step)

    async def test_isolation_too_low(self):
        await self.fails(exec_ext.IsolationTooLow, binary=fake("too-low"), require_isolation="full")

    async def test_what_is_no_message_on_stdout(self):
        error = await self.fails(exec_ext.StartFailed, binary=fake("garbage"))
        self.assertIn("no message", str(error))

    async def test_never_answering(self):
        await self.fails(exec_ext.StartTimeout, binary=fake("silent"), start_timeout=0.3)

    async def test_slow_start_is_waited_for(self):
        async with exec_ext.ExecExt(binary=fake("slow")) as ext:
            self.assertEqual(ext.info["serverInfo"]["name"], "fake")


class CommandTest(unittest.TestCase):
    def run_command(self, **env):
        code = "import exec_ext.__main__ as m; m.main()"
        base = {k: v for k, v in os.environ.items() if k not in ("EXEC_EXT_PATH", "PATH")}
        return subprocess.run(
            [sys.executable, "-c", code, "a", "b c"], env={**base, **env}, capture_output=True, text=True, timeout=30
        )

    @unittest.skipIf(sys.platform == "win32", "a shell script")
    def test_becomes_the_program_with_arguments_and_exit_code(self):
        with tempfile.TemporaryDirectory() as folder:
            path = program(folder, text='#!/bin/sh\necho "$1|$2"\nexit 7\n')
            done = self.run_command(EXEC_EXT_PATH=path)
        self.assertEqual((done.returncode, done.stdout), (7, "a|b c\n"))

    def test_says_what_was_tried(self):
        done = self.run_command(EXEC_EXT_PATH=os.path.join("no", "such", "program"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("EXEC_EXT_PATH", done.stderr)

    @unittest.skipIf(sys.platform == "win32", "a shell script")
    def test_does_not_run_itself_for_ever(self):
        if _binary.packaged().is_file():
            self.skipTest("this installation has a program")
        with tempfile.TemporaryDirectory() as folder:
            source = f"#!{sys.executable}\nimport exec_ext.__main__ as m\nm.main()\n"
            path = program(folder, text=source)
            env = {**os.environ, "PATH": folder, "PYTHONPATH": os.pathsep.join(sys.path)}
            env.pop("EXEC_EXT_PATH", None)
            done = subprocess.run([path], env=env, capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 1)
        self.assertIn("own command", done.stderr)
