// Reports made up for the tests: every kind of what src/data.ts describes, with values that are known here.

const range = (n, f = (i) => i) => Array.from({ length: n }, (_, i) => f(i))
export const f32 = (values) => ({ f32: Buffer.from(Float32Array.from(values).buffer).toString('base64') })
export const f64 = (values) => ({ f64: Buffer.from(Float64Array.from(values).buffer).toString('base64') })
export const u32 = (values) => ({ u32: Buffer.from(Uint32Array.from(values).buffer).toString('base64') })
const column = (name, unit, values) => ({ name, unit, values })
const axis = (column, title, unit, scale = 1, log) => ({ column, title, unit, scale, ...(log ? { log } : {}) })

/** A bar along x with a rectangular section, n stations, its faces and outlines. */
export function bar(name, n, length, width, height) {
  const points = [], triangles = [], edges = []
  for (let i = 0; i < n; ++i)
    for (const [y, z] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) points.push((length * i) / (n - 1), (y * width) / 2, (z * height) / 2)
  for (let i = 0; i + 1 < n; ++i)
    for (let k = 0; k < 4; ++k) {
      const a = 4 * i + k, b = 4 * i + ((k + 1) % 4)
      triangles.push(a, b, b + 4, a, b + 4, a + 4)
      edges.push(a, a + 4)
      if (i % 4 === 0) edges.push(a, b)
    }
  return { name, points, segments: [], triangles, edges }
}
/** A plate with thickness, nx × ny stations. */
function plate(name, nx, ny, a, b, thickness) {
  const points = [], triangles = [], edges = []
  for (const z of [-thickness / 2, thickness / 2]) for (let j = 0; j < ny; ++j) for (let i = 0; i < nx; ++i) points.push((a * i) / (nx - 1), (b * j) / (ny - 1), z)
  const n = nx * ny
  for (let j = 0; j < ny; ++j)
    for (let i = 0; i < nx; ++i) {
      const p = j * nx + i
      if (i + 1 < nx) edges.push(n + p, n + p + 1)
      if (j + 1 < ny) edges.push(n + p, n + p + nx)
      if (i + 1 < nx && j + 1 < ny) for (const q of [p, n + p]) triangles.push(q, q + 1, q + nx + 1, q, q + nx + 1, q + nx)
    }
  return { name, points, segments: [], triangles, edges }
}
const at_points = (part, f) => range(part.points.length / 3, (i) => f(part.points[3 * i], part.points[3 * i + 1], part.points[3 * i + 2])).flat()

export const critical = [[2910, 1, 'bending 1 backward'], [3050, 1, 'bending 1 forward'], [3120, 1, 'bending 2 backward'], [3160, 1, 'bending 2 forward'], [1520, 2, 'bending 1 forward']]

/** A shaft: complex modes at several speeds, Campbell diagram, verdicts of each level. */
export function shaft(title = 'Spinning shaft <script>window.ran = 1</script> & "co"') {
  const part = bar('shaft', 41, 2, 0.12, 0.12)
  const disc = plate('disc', 13, 13, 0.4, 0.4, 0.02)
  const rpm = range(21, (i) => 300 * i), speeds = rpm.map((n) => (n * Math.PI) / 30)
  const families = [['bending 1 backward', 'bending', 'backward', 49, -1], ['bending 1 forward', 'bending', 'forward', 49, 1], ['bending 2 backward', 'bending', 'backward', 56, -1.5],
    ['bending 2 forward', 'bending', 'forward', 56, 1.5], ['torsion 1', 'torsion', 'none', 83, 0], ['axial 1', 'axial', 'none', 100, 0]]
  const hz = (k, i) => families[k][3] + families[k][4] * 0.0008 * rpm[i] + 1e-7 * rpm[i] ** 2 * Math.sign(families[k][4])
  const branches = families.map(([label, kind, whirl], k) => ({
    label, kind, whirl,
    omega: rpm.map((_, i) => (k === 5 && i > 16 ? null : 2 * Math.PI * hz(k, i))),
    growth: rpm.map((n) => (k === 3 && n > 4500 ? 0.8 : -0.2)),
  }))
  const fields = [], shapes = []
  const n_modes = 4
  const shape_re = (k, x, y, z) => (k < 4 ? [0, Math.sin((Math.PI * x * (1 + (k >> 1))) / 2), 0] : k === 4 ? [0, -z * 3 * x, y * 3 * x] : [Math.sin((Math.PI * x) / 4), 0, 0])
  const shape_im = (k, x) => (k < 4 ? [0, 0, (k % 2 ? -1 : 1) * Math.sin((Math.PI * x * (1 + (k >> 1))) / 2)] : [0, 0, 0])
  const add_shape = (k, extra, name) => {
    fields.push({ name: `${name}_displacement`, title: 'displacement', unit: 'm', part: 0, size: 3, re: f32(at_points(part, (x, y, z) => shape_re(k, x, y, z))), im: f32(at_points(part, (x) => shape_im(k, x))) })
    fields.push({ name: `${name}_stress`, title: 'axial stress, relative', unit: 'Pa', part: 0, size: 1, re: at_points(part, (x, y) => [1e6 * y * Math.sin((Math.PI * x * (1 + (k >> 1))) / 2)]), im: at_points(part, (x, _, z) => [1e6 * z * Math.sin((Math.PI * x) / 2)]) })
    shapes.push({ kind: 'mode', displacements: [fields.length - 2], colours: [fields.length - 1], ...extra })
  }
  for (let k = 0; k < n_modes; ++k) add_shape(k, { title: `mode ${k + 1}, ${hz(k, 10).toFixed(2)} Hz, ${families[k][0]}`, mode: k + 1, omega: 2 * Math.PI * hz(k, 10), growth: -0.2 }, `mode_${k + 1}`)
  for (const i of [0, 5, 10, 15, 20]) for (let k = 0; k < n_modes; ++k) add_shape(k, { title: `${families[k][0]} at ${rpm[i]} rpm, ${hz(k, i).toFixed(2)} Hz`, omega: 2 * Math.PI * hz(k, i), growth: -0.2, campbell: { branch: k, speed: i } }, `c${k}_${i}`)
  const modes = range(n_modes, (k) => ({ number: k + 1, body: 'shaft', omega: 2 * Math.PI * hz(k, 10), hz: hz(k, 10), growth: -0.2, label: families[k][0] }))
  return {
    name: 'shaft.out', title, status: 'ok', message: '', warnings: ['At 4500 rpm and above bending 2 forward grows: internal damping <b>drives</b> it.'],
    verdicts: [
      { level: 'good', title: 'Lowest frequency', value: `${hz(0, 10).toFixed(2)} Hz`, text: 'mode 1 of shaft, bending, at 3000 rpm' },
      { level: 'warning', title: 'Critical speeds', value: '5 below 6000 rpm', text: 'the nearest to 3000 rpm is 3050 rpm, 1.7 % away' },
      { level: 'bad', title: 'Stability', value: '4500 rpm', text: 'bending 2 forward grows from there: 0.8 1/s' },
      { level: 'note', title: 'Peak stress', value: '134.8 MPa', text: 'von Mises, at the hub' },
    ],
    model: [
      { name: 'shaft', kind: 'body', value: '', items: [
        { name: 'material', kind: '', value: 'steel', items: [{ name: 'young', kind: '', value: '210 GPa', items: [] }, { name: 'density', kind: '', value: '7850 kg/m³', items: [] }] },
        { name: 'elements', kind: '', value: '40', items: [] }, { name: 'motion', kind: '', value: '3000 rpm about x', items: [] }] },
      { name: 'steel', kind: 'material', value: 'E = 210 GPa, ρ = 7850 kg/m³', items: [] },
      { name: 'campbell', kind: 'analysis', value: '21 speeds, 6 branches', items: [] },
    ],
    modes,
    campbell: { frame: 'rotating', body: 'shaft', speeds, branches, critical_speeds: critical.map(([n, order, label]) => ({ speed: (n * Math.PI) / 30, order, branch: families.findIndex((f) => f[0] === label), label })), error_bound: 3.2e-9 },
    tables: [
      { name: 'masses', title: 'Masses', history: false, columns: [column('body', '', ['shaft', 'disc, "big"', 'a\nb']), column('mass', 'kg', [12.345678901234, null, 1e-7])] },
      { name: 'mac', title: 'Modal assurance criterion', history: false, columns: [column('mode', '', range(36, (i) => 1 + (i % 6))), column('reference', '', range(36, (i) => 1 + Math.floor(i / 6))), column('mac', '', range(36, (i) => (i % 7 === 0 ? 0.98 - i / 200 : 0.02 * (i % 5))))] },
    ],
    plots: [{ name: 'mac', title: 'MAC of modes at 0 and 3000 rpm', kind: 'map', table: 'mac', x: axis('mode', 'mode at 3000 rpm', ''), y: [axis('reference', 'mode at rest', '')], z: axis('mac', 'MAC', '') }],
    scenes: [{ name: 'shaft', title: 'Shaft and disc', parts: [part, disc], fields, shapes }],
    timings: { read: 0.001, modes: 0.1234 },
    provenance: { program: 'elodyn', version: '0.1', command: 'elodyn run shaft.toml', settings: ['a=1', 'b=2'] },
    files: ['results.json', 'modes.csv', 'a b#c.csv'],
  }
}

/** A crank and rod played in time, with forces, paths and colours, and plots of histories. */
export function mechanism() {
  const n = 121, times = range(n, (i) => (0.5 * i) / (n - 1))
  const crank = bar('crank', 2, 0.15, 0.03, 0.02), rod = bar('rod', 21, 0.5, 0.03, 0.012)
  const angle = (t) => 4 * Math.PI * t
  const ends = (t) => {
    const b = [0.15 * Math.cos(angle(t)), 0.15 * Math.sin(angle(t))]
    return { b, c: [b[0] + Math.sqrt(0.25 - b[1] * b[1]), 0] }
  }
  const turned = (part, from, along, bend) => range(part.points.length / 3, (i) => {
    const [x, y, z] = part.points.slice(3 * i, 3 * i + 3)
    const w = y + bend * Math.sin((Math.PI * x) / 0.5)
    return [from[0] + along[0] * x - along[1] * w, from[1] + along[1] * x + along[0] * w, z]
  }).flat()
  const crank_points = [], rod_points = [], stress = [], b_at = [], b_force = [], c_at = [], c_force = [], m_path = []
  for (const t of times) {
    const { b, c } = ends(t), direction = [(c[0] - b[0]) / 0.5, (c[1] - b[1]) / 0.5]
    crank_points.push(...turned(crank, [0, 0], [Math.cos(angle(t)), Math.sin(angle(t))], 0))
    rod_points.push(...turned(rod, b, direction, 0.01 * Math.sin(5 * angle(t))))
    stress.push(...at_points(rod, (x, y) => [8e7 * Math.sin((Math.PI * x) / 0.5) * Math.sin(5 * angle(t)) * Math.sign(y)]))
    b_at.push(...b, 0), b_force.push(-100 * Math.cos(angle(t)), -60 * Math.sin(angle(t)), 0)
    c_at.push(...c, 0), c_force.push(0, 40 * Math.sin(angle(t)), 0)
    m_path.push((b[0] + c[0]) / 2, (b[1] + c[1]) / 2, 0)
  }
  const link = { name: 'piston', points: [0, 0, 0, 0.04, 0, 0], segments: [0, 1], triangles: [], edges: [] }
  const ground = { name: 'ground', points: [-0.1, -0.02, 0, 0.1, -0.02, 0, 0.4, -0.05, 0, 0.75, -0.05, 0], segments: [0, 1, 2, 3], triangles: [], edges: [] }
  const piston_points = times.flatMap((t) => [ends(t).c[0], 0, 0, ends(t).c[0] + 0.04, 0, 0])
  const x = times.map((t) => ends(t).c[0])
  const history = { name: 'motion', title: 'Motion of the piston', history: true, columns: [column('t', 's', f64(times)), column('x', 'm', f64(x)), column('force_b', 'N', b_force.filter((_, i) => i % 3 === 0)), column('m_x', 'm', f32(m_path.filter((_, i) => i % 3 === 0))), column('m_y', 'm', f32(m_path.filter((_, i) => i % 3 === 1)))] }
  const spectrum = { name: 'spectrum', title: 'Spectrum at mid-rod', history: true, columns: [column('frequency', 'Hz', range(200, (i) => i * 0.5)), column('acceleration', 'm/s^2', range(200, (i) => 1e-3 + 14.33 / (1 + (i - 40) ** 2) + 3 / (1 + (i - 120) ** 2 / 4)))] }
  const waterfall_rows = range(40 * 60), waterfall = { name: 'waterfall', title: 'Waterfall', history: true, columns: [column('speed', 'rad/s', waterfall_rows.map((i) => (100 + 2 * Math.floor(i / 60)) * Math.PI / 30)), column('frequency', 'Hz', waterfall_rows.map((i) => i % 60)), column('amplitude', 'm', waterfall_rows.map((i) => 1e-7 + 1e-3 / (1 + ((i % 60) - 8 - Math.floor(i / 60) / 3) ** 2)))] }
  const response_rows = range(600), response = { name: 'response', title: 'Frequency response', history: true, columns: [column('frequency', 'Hz', response_rows.map((i) => 1 + (i % 300))), column('point', '', response_rows.map((i) => (i < 300 ? 'tip' : 'middle'))),
    column('magnitude', 'm/N', response_rows.map((i) => { const r = (1 + (i % 300)) / (i < 300 ? 90 : 180); return 1e-6 / Math.hypot(1 - r * r, 0.04 * r) })),
    column('phase', 'rad', response_rows.map((i) => { const r = (1 + (i % 300)) / (i < 300 ? 90 : 180); return -Math.atan2(0.04 * r, 1 - r * r) }))] }
  const converge = { name: 'convergence', title: 'Convergence', history: false, columns: [column('elements', '', [2, 4, 8, 16, 2, 4, 8, 16]), column('degree', '', ['cubic', 'cubic', 'cubic', 'cubic', 'quintic', 'quintic', 'quintic', 'quintic']), column('error', '', [1e-3, 6.25e-5, 3.9e-6, 2.44e-7, 1e-5, 4e-8, 1.6e-10, 6e-13])] }
  const formalisms = { name: 'formalisms', title: 'Formalisms', history: false, columns: [column('formalism', '', ['lagrange', 'kane', 'gibbs-appell', 'maggi', 'hamilton']), column('time', 's', [0.012, 0.008, 0.009, 0.011, 0.02])] }
  const domain_rows = range(50 * 40), domain = { name: 'stability', title: 'Stability', history: true, columns: [column('speed', 'rad/s', domain_rows.map((i) => i % 50)), column('length', 'm', domain_rows.map((i) => 0.5 + Math.floor(i / 50) / 40)), column('state', '', domain_rows.map((i) => { const s = (i % 50) * (0.5 + i / 2000); return s > 45 ? 'flutter' : s > 28 ? 'divergence' : 'stable' }))] }
  return {
    name: 'runs/crank.out/', title: 'Slider-crank with an elastic rod', status: 'ok', message: '', warnings: [],
    verdicts: [{ level: 'good', title: 'Largest force', value: '100.0 N', text: 'joint B, at t = 0 s' }, { level: 'note', title: 'Largest acceleration', value: '14.33 m/s²', text: 'at mid-rod' }],
    model: [], modes: [],
    tables: [history, spectrum, waterfall, response, converge, formalisms, domain],
    plots: [
      { name: 'motion', title: 'Piston', kind: 'lines', table: 'motion', x: axis('t', 'time', 's'), y: [axis('x', 'place of the piston', 'mm', 1000)] },
      { name: 'paths', title: 'Path of mid-rod', kind: 'trajectory', table: 'motion', x: axis('m_x', 'x', 'mm', 1000), y: [axis('m_y', 'y', 'mm', 1000)] },
      { name: 'response', title: 'Response to the shaker', kind: 'response', table: 'response', x: axis('frequency', 'frequency', 'Hz'), y: [axis('magnitude', 'displacement, 0 to peak', 'µm/N', 1e6, true)], phase: axis('phase', 'phase', '°', 180 / Math.PI), group: ['point'] },
      { name: 'spectrum', title: 'Spectrum of the acceleration', kind: 'lines', table: 'spectrum', x: axis('frequency', 'frequency', 'Hz'), y: [axis('acceleration', 'acceleration, 0 to peak', 'm/s²', 1, true)] },
      { name: 'waterfall', title: 'Waterfall', kind: 'map', table: 'waterfall', x: axis('frequency', 'frequency', 'Hz'), y: [axis('speed', 'speed', 'rpm', 30 / Math.PI)], z: axis('amplitude', 'amplitude', 'mm', 1000, true) },
      { name: 'stability', title: 'Where it is stable', kind: 'map', table: 'stability', x: axis('speed', 'speed', 'rpm', 30 / Math.PI), y: [axis('length', 'length', 'm')], z: axis('state', 'state', '') },
      { name: 'convergence', title: 'Convergence of the first frequency', kind: 'convergence', table: 'convergence', x: axis('elements', 'elements', ''), y: [axis('error', 'relative error', '')], group: ['degree'] },
      { name: 'formalisms', title: 'Time of each formalism', kind: 'bars', table: 'formalisms', x: axis('formalism', 'formalism', ''), y: [axis('time', 'time', 'ms', 1000)] },
    ],
    scenes: [{
      name: 'motion', title: 'Slider-crank', parts: [ground, crank, rod, link], fields: [], shapes: [],
      frames: {
        times, points: [[], f32(crank_points), f32(rod_points), piston_points],
        colours: [{ name: 'stress', title: 'axial stress', unit: 'Pa', size: 1, values: [[], [], f32(stress), []] }],
        arrows: [{ name: 'joint B', title: 'force in joint B', unit: 'N', at: b_at, value: b_force }, { name: 'joint C', title: 'force in joint C', unit: 'N', at: c_at, value: c_force }],
        trails: [{ name: 'rod.M', points: m_path }],
      },
    }],
    timings: {}, provenance: {}, files: [],
  }
}

/** A plate that bends under a load, with stress and void fraction; something failed. */
export function plate_run() {
  const part = plate('plate', 31, 21, 0.6, 0.4, 0.01)
  const w = at_points(part, (x, y) => [0, 0, -2e-4 * Math.sin((Math.PI * x) / 0.6) * Math.sin((Math.PI * y) / 0.4)])
  return {
    name: 'plate.out', title: 'Foam plate', status: 'failed', message: 'static: the load is beyond buckling\nat load factor 1.2', warnings: [], verdicts: [], model: [], modes: [], tables: [], plots: [],
    scenes: [{
      name: 'plate', title: 'Plate', parts: [part],
      fields: [
        { name: 'displacement', title: 'displacement', unit: 'm', part: 0, size: 3, re: w },
        { name: 'von_mises', title: 'von Mises stress', unit: 'Pa', part: 0, size: 1, re: at_points(part, (x, y) => [1e8 * Math.abs(Math.sin((Math.PI * x) / 0.6) * Math.sin((Math.PI * y) / 0.4))]) },
        { name: 'void_fraction', title: 'void fraction', unit: '', part: 0, size: 1, re: at_points(part, (x, y) => [0.05 + 0.1 * Math.exp(-80 * ((x - 0.4) ** 2 + (y - 0.1) ** 2))]) },
      ],
      shapes: [{ title: 'under the load', kind: 'static', displacements: [0], colours: [1, 2] }],
    }],
    timings: {}, provenance: {}, files: [],
  }
}

/** The same shaft a little stiffer, to stand beside it. */
export function stiffer_shaft() {
  const run = shaft('Stiffer shaft')
  run.name = 'stiffer.out'
  for (const mode of run.modes) (mode.hz *= 1.1), (mode.omega *= 1.1)
  return run
}

/** Some 50 MB: a long history and a fine mesh. */
export function large() {
  const n = 1_200_000
  const t = range(n, (i) => i * 1e-5), u = t.map((x) => Math.sin(60 * x) * Math.exp(-0.2 * x))
  const part = plate('fine', 700, 300, 2, 1, 0.01)
  const run = plate_run()
  run.title = 'Large'
  run.status = 'ok'
  run.message = ''
  run.tables = [{ name: 'history', title: 'History', history: true, columns: [column('t', 's', f64(t)), column('u', 'm', f64(u))] }]
  run.plots = [{ name: 'history', title: 'History', kind: 'lines', table: 'history', x: axis('t', 'time', 's'), y: [axis('u', 'displacement', 'm')] }]
  const re = new Float32Array(part.points.length)
  for (let i = 0; i < re.length; i += 3) re[i + 2] = Math.sin(3 * part.points[i]) * part.points[i + 1]
  run.scenes = [{ name: 'fine', title: 'Fine plate', parts: [{ ...part, points: f32(part.points), triangles: u32(part.triangles), edges: u32(part.edges) }], fields: [{ name: 'mode', title: 'displacement', unit: 'm', part: 0, size: 3, re: f32(re) }], shapes: [{ title: 'mode 1', kind: 'mode', displacements: [0], colours: [] }] }]
  return run
}

export const report = (...runs) => ({ version: 1, runs })
