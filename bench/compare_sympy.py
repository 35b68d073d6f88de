#!/usr/bin/env python3
"""One plane cubic Rayleigh beam element in a spinning frame, derived by SymPy's KanesMethod and LagrangesMethod and by
Elodyn's kane and lagrange: prints the times and their ratio.

SymPy (sympy.physics.mechanics) gets what the element is: a section at x, a rigid body that moves with the shape functions
and turns with the slope, in a frame that turns with the angle phi(t) about a fixed origin; its equations (Kane) or its
energy (Lagrange) are integrated over the length, with the strain energy of stretch and bending. All of L, rho, A, E, I are
symbols. What is asked for is what Elodyn delivers: the mass matrix, the coefficients of q' and q, and the rest.
To first order in q: SymPy's own expressions are linearised about q = q' = q'' = 0 by differentiation.

Elodyn derives the same element, and more of it (matrices of prestress, member loads, acceleration of the origin), with
numbers; the time with symbols is printed too.

Usage: compare_sympy.py [PATH_TO_derive_bench]       default build/release/bin/derive_bench
Exit code: 1 if Elodyn is less than 1000 times faster, 77 if SymPy is not there (apt-get install python3-sympy).
"""
import pathlib
import subprocess
import sys
import time

try:
    import sympy as sp
    from sympy.physics import mechanics as me
except ImportError:
    print("SymPy is not installed")
    sys.exit(77)

FACTOR = 1000


class Section:
    """The section at x of an element from x = 0 to L on the axis x of the turning frame."""

    def __init__(self):
        self.L, self.rho, self.A, self.E, self.I, self.x = sp.symbols("L rho A E I x", positive=True)
        t = me.dynamicsymbols._t
        self.q = me.dynamicsymbols("q0:6")
        self.qd = [q.diff(t) for q in self.q]
        self.phi = me.dynamicsymbols("phi")
        xi = self.x / self.L
        axial = [1 - xi, xi]
        bending = [1 - 3 * xi**2 + 2 * xi**3, self.L * (xi - 2 * xi**2 + xi**3), 3 * xi**2 - 2 * xi**3,
                   self.L * (xi**3 - xi**2)]
        q = self.q
        self.u = axial[0] * q[0] + axial[1] * q[3]
        self.v = sum(f * q[i] for f, i in zip(bending, (1, 2, 4, 5)))
        self.slope = self.v.diff(self.x)
        self.world = me.ReferenceFrame("W")
        self.frame = self.world.orientnew("B", "Axis", [self.phi, self.world.z])
        self.origin = me.Point("O")
        self.origin.set_vel(self.world, 0)

    def potential_per_length(self):
        curvature = self.v.diff(self.x, 2)
        return (self.E * self.A * self.u.diff(self.x)**2 + self.E * self.I * curvature**2) / 2

    def make_body(self, name, frame_angle):
        point = self.origin.locatenew(name, (self.x + self.u) * self.frame.x + self.v * self.frame.y)
        turned = self.frame.orientnew(name + "_f", "Axis", [frame_angle, self.frame.z])
        return point, turned

    def integrate(self, expression):
        return sp.integrate(sp.expand(expression), (self.x, 0, self.L))


def linear_terms(equations, section):
    """Coefficients of q'', q', q and what is left, all at q = q' = q'' = 0."""
    t = me.dynamicsymbols._t
    q = section.q
    qd = [x.diff(t) for x in q]
    qdd = [x.diff(t, 2) for x in q]
    equations = sp.Matrix(equations)

    def at_rest(m):
        return m.applyfunc(lambda e: e.subs({x: 0 for x in qdd}).subs({x: 0 for x in qd}).subs({x: 0 for x in q}))

    return [at_rest(equations.jacobian(sp.Matrix(v))) for v in (qdd, qd, q)] + [at_rest(equations)]


def derive_by_lagrange():
    s = Section()
    point, turned = s.make_body("P", s.slope)
    point.set_vel(s.world, point.pos_from(s.origin).dt(s.world))
    body = me.RigidBody("section", point, turned, s.rho * s.A,
                        (me.inertia(turned, 0, 0, s.rho * s.I), point))
    energy = s.integrate(body.kinetic_energy(s.world)) - s.integrate(s.potential_per_length())
    method = me.LagrangesMethod(energy, s.q)
    method.form_lagranges_equations()
    return linear_terms(method.mass_matrix * sp.Matrix([x.diff(me.dynamicsymbols._t, 2) for x in s.q]) - method.forcing, s)


def derive_by_kane():
    s = Section()
    t = me.dynamicsymbols._t
    speeds = me.dynamicsymbols("u0:6")
    point, turned = s.make_body("P", s.slope)
    to_speeds = dict(zip(s.qd, speeds))
    velocity = point.pos_from(s.origin).dt(s.world).subs(to_speeds)
    point.set_vel(s.world, velocity)
    turned.set_ang_vel(s.world, (s.phi.diff(t) + s.slope.diff(t).subs(to_speeds)) * s.frame.z)
    body = me.RigidBody("section", point, turned, s.rho * s.A,
                        (me.inertia(turned, 0, 0, s.rho * s.I), point))
    method = me.KanesMethod(s.world, q_ind=s.q, u_ind=list(speeds), kd_eqs=[a - b for a, b in zip(s.qd, speeds)])
    fr, frstar = method.kanes_equations([body], [])
    # Generalized active forces of the strains: -dV/dq.
    equations = [-s.integrate(e) for e in frstar]
    potential = s.integrate(s.potential_per_length())
    equations = [e + potential.diff(q) for e, q in zip(equations, s.q)]
    accelerations = {u.diff(t): q.diff(t, 2) for u, q in zip(speeds, s.q)}
    rates = dict(zip(speeds, s.qd))
    return linear_terms([e.subs(accelerations).subs(rates) for e in equations], s)


def check(terms):
    """13/35 rho A L + 6/5 rho I/L: the mass of v1, and what turning the frame adds to its stiffness."""
    L, rho, A, I = sp.symbols("L rho A I", positive=True)
    want = sp.Rational(13, 35) * rho * A * L + sp.Rational(6, 5) * rho * I / L
    assert sp.simplify(terms[0][1, 1] - want) == 0, terms[0][1, 1]
    w = me.dynamicsymbols("phi").diff()
    stiffness = sp.expand(terms[2][1, 1])
    assert sp.simplify(stiffness.coeff(w, 2) + sp.Rational(13, 35) * rho * A * L) == 0, stiffness


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    program = sys.argv[1] if len(sys.argv) > 1 else str(root / "build/release/bin/derive_bench")
    failed = False
    print(f"one plane cubic Rayleigh beam, spinning frame; SymPy {sp.__version__}")
    print(f"{'':10} {'SymPy':>10} {'numbers':>12} {'ratio':>10} {'symbols':>12} {'ratio':>8}")
    for name, derive in (("lagrange", derive_by_lagrange), ("kane", derive_by_kane)):
        start = time.perf_counter()
        terms = derive()
        theirs = time.perf_counter() - start
        check(terms)
        ours, symbols = (float(x) for x in subprocess.run([program, "--one", name], check=True, capture_output=True,
                                                          text=True).stdout.split())
        print(f"{name:10} {theirs:8.2f} s {ours * 1e6:9.2f} us {theirs / ours:10.0f} {symbols * 1e3:9.1f} ms "
              f"{theirs / symbols:8.1f}")
        failed = failed or theirs < FACTOR * ours
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
