"""The sample runner reads blocks, exit codes and expected output as its convention says."""
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "run_samples.py"
spec = importlib.util.spec_from_file_location("run_samples", SCRIPT)
run_samples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(run_samples)

README = """# Rod

Text with $ elodyn nothing.

    $ elodyn modes rod.toml
    mode  frequency
    ...

```
$ ls
$ elodyn check bad.toml  # exit 2
rod.toml:1:1: error: wrong
```
out of the block
"""


class RunSamples(unittest.TestCase):
    def test_reading(self):
        self.assertEqual(run_samples.read_samples(README),
                         [(5, "elodyn modes rod.toml", 0, ["mode  frequency", "..."]),
                          (11, "elodyn check bad.toml", 2, ["rod.toml:1:1: error: wrong"])])

    def test_expected_lines_come_in_order(self):
        self.assertIsNone(run_samples.missing_line(["a   b", "...", "c"], "x\n a b\ny\nc\n"))
        self.assertEqual(run_samples.missing_line(["c", "a b"], "a b\nc\n"), "a b")

    def run_with(self, program_text, readme_text):
        with tempfile.TemporaryDirectory() as name:
            program = pathlib.Path(name) / "elodyn"
            program.write_text("#!/bin/sh\n" + program_text)
            program.chmod(0o755)
            folder = pathlib.Path(name) / "rod"
            folder.mkdir()
            (folder / "README.md").write_text(readme_text)
            done = subprocess.run([sys.executable, SCRIPT, program, folder / "README.md"], capture_output=True, text=True,
                                  check=False)
            return done.returncode, done.stdout.replace(f"{folder}/", ""), done.stderr.replace(f"{folder}/", "")

    def test_good_and_bad(self):
        self.assertEqual(self.run_with('echo "hello  $1"', "    $ elodyn run\n    hello run\n"), (0, "ok   $ elodyn run\n", ""))
        self.assertEqual(self.run_with("exit 3", "    $ elodyn run\n"),
                         (1, "FAIL $ elodyn run\nREADME.md:1: error: exit code 3, not 0\n\n", ""))
        self.assertEqual(self.run_with("echo x", "    $ elodyn run\n    y\n"),
                         (1, "FAIL $ elodyn run\nREADME.md:1: error: no line `y`\nx\n\n", ""))

    def test_no_samples_is_a_failure(self):
        self.assertEqual(self.run_with("", "nothing\n"), (1, "", "README.md: error: no sample runs (lines `$ elodyn …`)\n"))


if __name__ == "__main__":
    unittest.main()
