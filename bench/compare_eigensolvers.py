#!/usr/bin/env python3
"""Times ten gyroscopic modes of a spinning plate against SLEPc's quadratic eigensolver and Octave's eigs.

Usage: compare_eigensolvers.py [--elodyn PROGRAM] [--unknowns N] [--keep DIR]

The plate of gyroscopic_bench (membrane_q4, clamped on its left side, 1000 rad/s). The matrices are Elodyn's own, exported by
`elodyn matrices` and reduced by its supports: M q'' + C q' + K q = 0. Elodyn: what its JSON says of the time of the eigenproblem, on all
cores; ratios are to the modes alone, since the peers prove nothing, and in brackets to the modes with the proof that none is missed. SLEPc: PEP with TOAR, shift-and-invert at 0, tolerance 1e-9, Cholesky of MUMPS if it is
there. Octave: eigs on the inverse of the first-order form, one Cholesky factorisation of K, tolerance 1e-9. Times are of the solution
alone, reading and writing of files left out, one thread for the peers' BLAS, the best of three runs of each. Frequencies must agree to 1e-7.

Exit codes: 0 done, 1 frequencies differ, 2 a program failed, 77 a peer is missing
(apt-get install octave python3-scipy python3-slepc4py).
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import programs

COUNT, SPEED, ROUNDS = 10, 1000.0, 3


def make_model(unknowns):
    nx = max(2, round((unknowns / 2 / 0.8) ** 0.5))
    return f"""schema = 1
[material.steel]
young = 210e9
poisson = 0.3
density = 7800
[section.sheet]
shape = "sheet"
thickness = 1e-3
[body.plate]
element = "membrane_q4"
dimension = 2
material = "steel"
section = "sheet"
rectangle = {{ from = [0.02, -0.08, 0], to = [0.22, 0.08, 0], nx = {nx}, ny = {round(0.8 * nx)} }}
clamp = ["left"]
[body.plate.motion]
kind = "spin"
speed = {SPEED}
[analysis.modes]
count = {COUNT}
"""


def read_matrices(folder):
    """M, C and K of the free coordinates at the speed."""
    from scipy.io import mmread
    names = {path.stem.removeprefix("plate_"): path for path in folder.glob("plate_*.mtx")}
    T = mmread(names.pop("T")).tocsc()
    M = C = K = None
    for name, path in names.items():
        A = mmread(path)
        if A.shape[0] != A.shape[1]:
            continue  # a load
        A = (T.T @ A.tocsc() @ T).tocsc()
        if name == "M":
            M = A
        elif name.startswith("G_"):
            C = 2 * SPEED * A
        elif name == "K" or name.startswith(("S_", "Kg_H_")):  # the others go with angular acceleration, or are zero
            A = A if name == "K" else SPEED ** 2 * A
            K = A if K is None else K + A
    return M, C, K


def run_slepc(M, C, K):
    import petsc4py
    import slepc4py
    slepc4py.init([])
    from petsc4py import PETSc
    from slepc4py import SLEPc

    def to_petsc(A):
        A = A.tocsr()
        A.sort_indices()
        return PETSc.Mat().createAIJ(size=A.shape, csr=(A.indptr, A.indices, A.data))

    matrices = [to_petsc(A) for A in (K, C, M)]
    start = time.perf_counter()
    pep = SLEPc.PEP().create()
    pep.setOperators(matrices)
    pep.setType("toar")
    pep.setDimensions(2 * COUNT, 6 * COUNT)
    pep.setTolerances(1e-9, 500)
    pep.setTarget(0.0)
    pep.setWhichEigenpairs(SLEPc.PEP.Which.TARGET_MAGNITUDE)
    pep.setScale(SLEPc.PEP.Scale.SCALAR)
    st = pep.getST()
    st.setType("sinvert")
    st.setTransform(True)
    solver = st.getKSP()
    solver.setType("preonly")
    solver.getPC().setType("lu")
    try:
        solver.getPC().setFactorSolverType("mumps")
        pep.solve()
    except PETSc.Error:
        solver.getPC().setFactorSolverType("petsc")
        pep.solve()
    seconds = time.perf_counter() - start
    values = [pep.getEigenpair(k) for k in range(pep.getConverged())]
    return sorted(v.imag for v in values if v.imag > 0)[:COUNT], seconds


OCTAVE = """
load('{file}');
tic;
n = rows(K);
[R, failed, Q] = chol(K);
A = @(x) [-(Q * (R \\ (R' \\ (Q' * (C * x(1:n) + M * x(n+1:end)))))); x(1:n)];
options.tol = 1e-9;
options.p = 60;
options.maxit = 500;
options.issym = false;
theta = eigs(A, 2 * n, 20, 'lm', options);
seconds = toc;
lambda = 1 ./ theta;
omega = sort(imag(lambda(imag(lambda) > 0)));
printf('%.15g\\n', seconds, omega(1:10));
"""


def run_octave(folder, M, C, K):
    from scipy.io import savemat
    savemat(folder / "plate.mat", {"M": M, "C": C, "K": K})
    script = folder / "modes.m"
    script.write_text(OCTAVE.format(file=folder / "plate.mat"))
    done = subprocess.run(["octave-cli", "--norc", script], capture_output=True, text=True, check=False,
                          env={**programs.os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
    numbers = [float(line) for line in done.stdout.split() if line.strip()]
    if done.returncode != 0 or len(numbers) != COUNT + 1:
        print(f"error: octave failed:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
        sys.exit(2)
    return numbers[1:], numbers[0]


def main():
    parser = programs.make_parser(__doc__)
    parser.add_argument("--unknowns", type=int, default=51000)
    args = parser.parse_args()
    try:
        import scipy.io  # noqa: F401
        import slepc4py  # noqa: F401
    except ImportError as error:
        print(f"skipped: {error}; on Debian: apt-get install octave python3-scipy python3-slepc4py")
        sys.exit(77)
    if shutil.which("octave-cli") is None:
        print("skipped: Octave is not installed; on Debian: apt-get install octave")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(args.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "plate.toml"
        path.write_text(make_model(args.unknowns))
        seconds = {"false": float("inf"), "true": float("inf")}  # with the proof or without
        for prove in ROUNDS * list(seconds):
            done = subprocess.run([args.elodyn, "modes", path, "--json", "--set", f"analysis.modes.prove={prove}"],
                                  capture_output=True, text=True, check=True)
            ours = json.loads(done.stdout)
            omega = [mode["omega"] for mode in ours["modes"]]
            seconds[prove] = min(seconds[prove], ours["timings"]["eigenproblem"])
        subprocess.run([args.elodyn, "matrices", path, "-o", folder / "matrices"], check=True, capture_output=True)
        M, C, K = read_matrices(folder / "matrices")
        print(f"{K.shape[0]} unknowns, {COUNT} modes at {SPEED:g} rad/s")
        print(f"{'elodyn modes (with the proof)':32} {seconds['false']:8.2f} s  ({seconds['true']:.2f} s)")
        worst = 0
        peers = (("SLEPc PEP (TOAR, shift-invert)", lambda: run_slepc(M, C, K)),
                 ("Octave eigs", lambda: run_octave(folder, M, C, K)))
        for name, run in peers:
            peer, time_of_peer = min((run() for _ in range(ROUNDS)), key=lambda result: result[1])
            difference = max(abs(a / b - 1) for a, b in zip(omega, peer, strict=True))
            worst = max(worst, difference)
            print(f"{name:32} {time_of_peer:8.2f} s  {time_of_peer / seconds['false']:6.1f} times ours "
                  f"({time_of_peer / seconds['true']:.1f}), frequencies differ by {difference:.0e}")
        sys.exit(1 if worst > 1e-7 else 0)


if __name__ == "__main__":
    main()
