"""The layer check finds planted violations, names their place, and accepts what is allowed."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"


def check(files):
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        done = subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.replace(f"{root}/", "")


class CheckLayers(unittest.TestCase):
    def test_allowed(self):
        self.assertEqual(check({"elodyn/element/beam.cpp": '#include "elodyn/element/beam.hpp"\n#include <vector>\n'
                                                           '#include "elodyn/model/model.hpp"\n',
                                "elodyn/elodyn.hpp": '#include "elodyn/io/writer.hpp"\n'}), (0, "layers: fine\n"))

    def test_element_must_not_see_formalism(self):
        self.assertEqual(
            check({"elodyn/element/beam.cpp": '#include "elodyn/base/types.hpp"\n'
                                              '  # include "elodyn/formalism/kane.hpp"\n'}),
            (1, "elodyn/element/beam.cpp:2: error: layer 'element' must not include 'formalism'\n"))

    def test_all_are_reported(self):
        self.assertEqual(
            check({"elodyn/io/a.cpp": '#include <elodyn/study/run.hpp>\n', "elodyn/linalg/b.hpp": '#include "app/x.hpp"\n'}),
            (1, "elodyn/io/a.cpp:1: error: layer 'io' must not include 'study'\n"
                "elodyn/linalg/b.hpp:1: error: layer 'linalg' must not include 'app'\n"))

    def test_unknown_layer(self):
        self.assertEqual(check({"elodyn/misc/a.cpp": "\n"}),
                         (1, "elodyn/misc/a.cpp:1: error: 'misc' is not a layer (tools/check_layers.py lists them)\n"))

    def test_nothing_found_is_a_failure(self):
        self.assertEqual(check({}), (1, "elodyn: error: no sources found\n"))


if __name__ == "__main__":
    unittest.main()
