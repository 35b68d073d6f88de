// The page on reports that are made up here: what is in the data is on the page, what can be clicked does what it says.
//   node tests/page.mjs [--pictures DIR]   keeps pictures of what it saw
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check, close_to, download, finish, launch, look, number, open_page, write_page } from './browser.mjs'
import { critical, large, mechanism, plate_run, report, shaft, stiffer_shaft } from './synthetic.mjs'

const asked = process.argv.indexOf('--pictures')
const pictures = asked > 0 ? process.argv[asked + 1] : null
if (pictures !== null) mkdirSync(pictures, { recursive: true })
const folder = mkdtempSync(join(tmpdir(), 'elodyn-page-'))
const browser = await launch()
const seen = (page, selector) => page.locator(selector).allInnerTexts()

async function with_page(name, data, test, options = {}) {
  const path = join(folder, `${name}.html`)
  write_page(path, data)
  const opened = await open_page(browser, path, options)
  try {
    await test(opened)
    if (pictures !== null) await opened.page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  } catch (error) {
    check(false, `${name} could not be tested to its end`, error.message)
  }
  check(opened.complaints.length === 0, `${name}: the console is silent`, opened.complaints.join('; '))
  check(opened.others().length === 0, `${name}: nothing is requested`, opened.others().join(' '))
  await opened.context.close()
}
const figure = (page, name) => page.locator(`[data-figure="${name}"]`)
const table = (page, name) => page.locator(`[data-table="${name}"]`)
/** Point of a figure in pixels of the window, from its values. */
async function place(page, name, x, y, axes) {
  const box = await figure(page, name).locator('.u-over').boundingBox()
  return [box.x + ((x - axes[0]) / (axes[1] - axes[0])) * box.width, box.y + (1 - (y - axes[2]) / (axes[3] - axes[2])) * box.height]
}

await with_page('shaft', report(shaft()), async ({ page, context }) => {
  const run = shaft()
  // text is text
  check((await page.title()).startsWith(run.title), 'the title is that of the run')
  check((await page.locator('h1').innerText()) === run.title, 'a title with <script> is shown')
  check((await page.evaluate(() => window.ran)) === undefined, 'and not run')
  check((await page.locator('.warnings b').count()) === 0 && (await page.locator('.warnings').innerText()).includes('<b>drives</b>'), 'markup in a warning is shown, not made')
  // verdicts come first
  check((await seen(page, '.card .value')).join('|') === [2, 0, 1, 3].map((i) => run.verdicts[i].value).join('|'), 'verdict cards show their values in turn, what is bad first')
  check((await page.locator('.card.bad').count()) === 1 && (await page.locator('.card.warning').count()) === 1, 'levels of verdicts are told apart')
  const first = await page.locator('.card').first().boundingBox(), scene_box = await page.locator('.stage').boundingBox()
  check(first.y < scene_box.y && first.y + first.height < 800, 'verdicts are seen first, without scrolling')
  // tree
  check((await seen(page, '#run0-model .name')).includes('shaft'), 'the model tree names the body')
  await page.locator('#run0-model summary', { hasText: 'material' }).click()
  check((await page.locator('#run0-model').innerText()).includes('210 GPa'), 'a group of the tree opens')
  // tables
  const modes = table(page, 'modes')
  const hz = (await modes.locator('tbody tr td:nth-child(3)').allInnerTexts()).map(number)
  check(hz.length === 4 && hz.every((value, i) => close_to(value, run.modes[i].hz, 1e-5)), 'frequencies of the table are those of the data', hz.join(' '))
  await modes.getByRole('button', { name: 'frequency' }).click()
  const rising = (await modes.locator('tbody tr td:nth-child(3)').allInnerTexts()).map(number)
  check(rising.every((value, i) => i === 0 || value >= rising[i - 1]) && rising.join() !== hz.join(), 'a click on a heading sorts')
  await modes.getByRole('button', { name: 'frequency' }).click()
  check((await modes.locator('th').nth(2).getAttribute('aria-sort')) === 'descending', 'a second click sorts the other way')
  const csv = await download(page, () => table(page, 'masses').getByRole('button', { name: 'CSV' }).click())
  check(csv.name === 'shaft.out_masses.csv', 'the CSV is named after run and table', csv.name)
  check(csv.bytes.toString() === 'body,mass [kg]\nshaft,12.345678901234\n"disc, ""big""",\n"a\nb",1e-7\n', 'CSV has all digits, units and quotes', csv.bytes.toString())
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await table(page, 'masses').getByRole('button', { name: 'Copy' }).click()
  await page.waitForFunction(() => document.querySelector('[data-table="masses"] [role=status]').textContent !== '')
  check((await page.evaluate(() => navigator.clipboard.readText())).replaceAll('\r', '') === 'body\tmass [kg]\nshaft\t12.345678901234\ndisc, "big"\t\na b\t1e-7\n', 'copying gives tab-separated text')
  // the scene
  const a = await look(page, 0.3), b = await look(page, 0.3), c = await look(page, 1.9)
  check(a.hash === b.hash, 'a frozen phase gives the same picture')
  check(a.colours > 200 && a.painted > 0.02, 'bodies are drawn in colours', JSON.stringify(a))
  check(a.hash !== c.hash, 'another phase gives another picture')
  const quarter = await page.evaluate(() => { const view = window.elodyn.view.scenes[0]; view.freeze(0); return [0, Math.PI / 2].map((phase) => (view.freeze(phase), view.place(4 * 20))) })
  check(quarter[0][1] !== quarter[1][1] && Math.abs(quarter[0][2] - quarter[1][2]) > 1e-3, 'a complex mode whirls: sideways first, then up', JSON.stringify(quarter))
  await page.locator('.stage').scrollIntoViewIfNeeded()
  await page.getByRole('button', { name: 'Play' }).click()
  const moved = await page.evaluate(async () => {
    const view = window.elodyn.view.scenes[0], before = view.place(80).join()
    for (let i = 0; i < 100; ++i) {
      await new Promise((done) => requestAnimationFrame(done))
      if (view.place(80).join() !== before) return true
    }
    return false
  })
  check(moved, 'playing moves the points')
  await look(page, 0.3)
  const amplitude = page.getByRole('slider', { name: 'Amplitude' })
  await amplitude.fill('0.3')
  check((await look(page, 0.3)).hash !== a.hash, 'the amplitude slider changes the picture')
  await amplitude.fill('0.1')
  await page.getByRole('combobox', { name: 'Colour', exact: true }).selectOption('1')
  check((await page.locator('.legend3d').innerText()).includes('axial stress, relative [Pa]'), 'the legend has title and unit of the field')
  check((await look(page, 0.3)).hash !== a.hash, 'another field gives other colours')
  await page.getByRole('combobox', { name: 'Colour', exact: true }).selectOption('0')
  const shot = await download(page, () => page.locator('.scene').getByRole('button', { name: 'PNG' }).click())
  check(shot.name.endsWith('.png') && shot.bytes.length > 5000 && shot.bytes.subarray(1, 4).toString() === 'PNG', 'a picture of the scene arrives')
  for (const name of ['x', 'y', 'z', 'iso']) {
    await page.locator('.scene').getByRole('button', { name, exact: true }).click()
    check((await look(page, 0.3)).painted > 0.005, `something is seen along ${name}`)
  }
  // a point and its numbers
  await page.getByRole('spinbutton', { name: 'Number of a point' }).fill('80')
  await page.keyboard.press('Enter')
  const reading = await page.locator('.reading').innerText()
  check(reading.includes('shaft, point 80') && reading.includes('0, 1, 1') && reading.includes('90'), 'a chosen point shows amplitude and phase', reading)
  const at = await page.evaluate(() => { const view = window.elodyn.view.scenes[0]; view.draw(); const box = view.canvas.getBoundingClientRect(); const p = view.project(81); return [box.x + p[0], box.y + p[1]] })
  await page.mouse.click(...at)
  check(/point 8[0-3]/.test(await page.locator('.reading').innerText()), 'a click picks the point under it', await page.locator('.reading').innerText())
  // Campbell
  await figure(page, 'campbell').scrollIntoViewIfNeeded()
  await page.waitForSelector('[data-figure="campbell"] .u-over')
  const view = await page.evaluate(() => window.elodyn.figures.find((f) => f.spec.name === 'campbell').view)
  const axes = [view.x0, view.x1, view.y0, view.y1]
  const campbell = run.campbell
  const pixel = await place(page, 'campbell', 3000, campbell.branches[1].omega[10] / (2 * Math.PI), axes)
  await page.mouse.move(pixel[0], pixel[1] - 3)
  await page.mouse.move(...pixel)
  const tip = await figure(page, 'campbell').locator('.tip').innerText()
  check(tip.includes('bending 1 forward') && tip.includes('3000 rpm') && tip.includes(`${(campbell.branches[1].omega[10] / (2 * Math.PI)).toFixed(1)}`), 'hovering shows branch, speed and frequency', tip)
  await page.mouse.click(...pixel)
  check((await page.locator('.said').innerText()).includes('bending 1 forward at 3000 rpm'), 'a click plays the mode of that point', await page.locator('.said').innerText())
  const shown = await page.evaluate(() => { const view = window.elodyn.view.scenes[0]; return view.choices[view.chosen()].shape.campbell })
  check(shown.branch === 1 && shown.speed === 10, 'and it is that branch at that speed', JSON.stringify(shown))
  const unstable = await place(page, 'campbell', 5100, campbell.branches[3].omega[17] / (2 * Math.PI), axes)
  await page.mouse.move(unstable[0] - 2, unstable[1])
  await page.mouse.move(...unstable)
  check((await figure(page, 'campbell').locator('.tip').innerText()).includes('grows'), 'an unstable point says so')
  await page.mouse.click(...unstable)
  check((await page.locator('.said').innerText()).includes('nearest'), 'where no shape was stored the nearest is shown, and said')
  const shares = (await table(page, 'campbell_critical_speeds').locator('tbody tr td:first-child').allInnerTexts()).map(number)
  check(shares.every((value, i) => close_to(value, critical[i][0], 1e-5)), 'critical speeds are listed', shares.join())
  const svg = (await download(page, () => figure(page, 'campbell').getByRole('button', { name: 'SVG' }).click())).bytes.toString()
  check(svg.startsWith('<svg') && svg.includes('bending 2 backward') && svg.includes('speed [rpm]') && svg.includes('3160 rpm'), 'SVG has curves, axes and marks')
  check((await page.evaluate((text) => new DOMParser().parseFromString(text, 'image/svg+xml').querySelector('parsererror') === null, svg)), 'SVG is well-formed')
  const boxes = [...svg.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*font-size="11"[^>]*>(\d+ rpm)</g)].map((m) => [Number(m[1]), Number(m[2]), m[3].length * 6])
  check(boxes.length >= 4 && boxes.every((p, i) => boxes.every((q, j) => i === j || Math.abs(p[1] - q[1]) > 11 || p[0] + p[2] < q[0] || q[0] + q[2] < p[0])), 'labels of critical speeds do not overlap', JSON.stringify(boxes))
  const png = await download(page, () => figure(page, 'campbell').getByRole('button', { name: 'PNG' }).click())
  check(png.bytes.subarray(1, 4).toString() === 'PNG' && png.bytes.readUInt32BE(16) === 1600, 'PNG arrives at twice the size')
  // zoom
  const [x0, y0] = await place(page, 'campbell', 2000, 60, axes), [x1, y1] = await place(page, 'campbell', 4000, 40, axes)
  await page.mouse.move(x0, y0)
  await page.mouse.down()
  await page.mouse.move((x0 + x1) / 2, (y0 + y1) / 2)
  await page.mouse.move(x1, y1)
  await page.mouse.up()
  const zoomed = await page.evaluate(() => window.elodyn.figures.find((f) => f.spec.name === 'campbell').view)
  check(close_to(zoomed.x0, 2000, 0.01) && close_to(zoomed.x1, 4000, 0.01) && close_to(zoomed.y0, 40, 0.02), 'dragging zooms', JSON.stringify(zoomed))
  await figure(page, 'campbell').getByRole('button', { name: 'Whole range' }).click()
  check(close_to((await page.evaluate(() => window.elodyn.figures.find((f) => f.spec.name === 'campbell').view)).x1, view.x1, 1e-9), 'and back')
  // keys
  await figure(page, 'campbell').locator('.plot').focus()
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
  check((await page.locator('.said').innerText()).includes('bending 1 forward at'), 'arrows and Enter play a mode too', await page.locator('.said').innerText())
  await page.locator('.stage').focus()
  const before = (await look(page, 0.3)).hash
  await page.keyboard.press('ArrowRight')
  check((await look(page, 0.3)).hash !== before, 'arrow keys turn the view')
  // legend
  await figure(page, 'campbell').locator('button.key').first().click()
  check((await figure(page, 'campbell').locator('button.key').first().getAttribute('aria-pressed')) === 'false', 'a click on the legend hides a curve')
  // a row of the modes
  await table(page, 'modes').getByRole('button', { name: 'Show mode 3' }).click()
  check((await page.locator('.said').innerText()).includes('mode 3,'), 'a row of the table plays its mode', await page.locator('.said').innerText())
  check((await page.locator('.files a').nth(2).getAttribute('href')) === './a%20b%23c.csv', 'links to files are escaped')
  // MAC
  const cells = await page.evaluate(() => { const f = window.elodyn.figures.find((f) => f.spec.name === 'mac'); return [f.spec.cells.at(1, 1), f.spec.cells.value(f.spec.cells.at(2, 1)), f.spec.cells.at(9, 9)] })
  check(cells[0] === 0 && cells[1] === 'MAC: 0.020' && cells[2] === -1, 'the MAC matrix has its values in place', JSON.stringify(cells))
})

await with_page('mechanism', report(mechanism()), async ({ page }) => {
  const run = mechanism()
  const a = await look(page, 0.1), b = await look(page, 0.2)
  check(a.painted > 0.01 && a.hash !== b.hash, 'a mechanism moves with time')
  await page.getByRole('slider', { name: 'Time' }).fill('0.5')
  await page.waitForFunction(() => document.querySelector('output.time').textContent === 't = 0.25 s', null, { timeout: 5000 }).catch(() => undefined)
  check((await page.locator('output.time').innerText()) === 't = 0.25 s', 'the scrubber sets the time', await page.locator('output.time').innerText())
  const tip = await page.evaluate(() => { const view = window.elodyn.view.scenes[0]; view.freeze(0.5); return view.place(4 + 8) })
  // At half time the crank has turned half: the rod begins on the other side.
  check(close_to(tip[0], -0.15, 1e-5), 'a point is where the frame says', JSON.stringify(tip))
  const between = await page.evaluate(() => { const view = window.elodyn.view.scenes[0]; view.freeze(0.5 + 0.5 / 120); return view.place(4 + 8 + 4 * 20)[0] })
  const frame = (i) => Buffer.from(run.scenes[0].frames.points[2].f32, 'base64').readFloatLE(4 * (3 * 84 * i + 3 * 80))
  check(close_to(between, (frame(60) + frame(61)) / 2, 1e-5), 'between two frames the points are between', `${between}`)
  const without = await page.evaluate(() => window.elodyn.view.scenes[0].freeze(0.1)).then(() => page.getByRole('checkbox', { name: 'forces' }).uncheck()).then(() => look(page, 0.1))
  check(without.hash !== a.hash, 'forces can be hidden')
  await page.getByRole('checkbox', { name: 'forces' }).check()
  await page.getByRole('checkbox', { name: 'trails' }).uncheck()
  check((await look(page, 0.1)).hash !== a.hash, 'trails can be hidden')
  await page.getByRole('checkbox', { name: 'trails' }).check()
  check((await page.locator('.legend3d').innerText()).includes('axial stress [Pa]'), 'colours of a motion have a legend')
  const figures = await page.evaluate(() => window.elodyn.figures.map((f) => ({ name: f.spec.name, labels: f.spec.curves.map((c) => c.label), n: f.spec.curves[0]?.x.length ?? 0, first: f.spec.curves.map((c) => [c.x[0], c.y[0]]), equal: f.spec.equal })))
  const of = (name) => figures.find((f) => f.name === name)
  check(run.plots.every((plot) => of(plot.name) !== undefined) && of('response_phase') !== undefined, 'every plot is there', figures.map((f) => f.name).join())
  check(of('motion').n === 121 && close_to(of('motion').first[0][1], 650, 1e-12), 'values are scaled to the unit of the axis', JSON.stringify(of('motion').first))
  check(of('response').labels.join() === 'tip,middle' && of('response').n === 300, 'groups are curves of their own', JSON.stringify(of('response')))
  check(of('convergence').labels.join('|') === 'cubic (order 4.00)|quintic (order 8.06)', 'the observed order is in the legend', of('convergence').labels.join())
  check(of('paths').equal === true, 'trajectories have equal scales')
  for (const plot of [...run.plots.map((p) => p.name), 'response_phase']) {
    await figure(page, plot).scrollIntoViewIfNeeded()
    await page.waitForSelector(`[data-figure="${plot}"] .u-over`)
    const svg = (await download(page, () => figure(page, plot).getByRole('button', { name: 'SVG' }).click())).bytes.toString()
    check(svg.startsWith('<svg') && svg.length > 2000, `${plot} is exported`)
    const ink = await page.evaluate((name) => {
      const canvas = document.querySelector(`[data-figure="${name}"] .u-wrap canvas`)
      return new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size
    }, plot)
    check(ink > 20, `${plot} is drawn`, `${ink} colours`)
  }
  const path = await page.evaluate(() => { const f = window.elodyn.figures.find((f) => f.spec.name === 'paths'); const box = document.querySelector('[data-figure="paths"] .u-over').getBoundingClientRect(); return (f.view.x1 - f.view.x0) / box.width / ((f.view.y1 - f.view.y0) / box.height) })
  check(close_to(path, 1, 0.02), 'a millimetre is as long upwards as sideways', `${path}`)
  const state = await page.evaluate(() => { const f = window.elodyn.figures.find((f) => f.spec.name === 'stability'); return [f.spec.cells.value(f.spec.cells.at(30, 0.6)), f.spec.cells.value(f.spec.cells.at(460, 1.4))] })
  check(state.join() === 'stable,flutter', 'the stability map says what is where', state.join())
  // axes of one figure follow those of the other
  await page.evaluate(() => { const f = window.elodyn.figures.find((f) => f.spec.name === 'response'); f.zoom(0.5) })
  const both = await page.evaluate(() => ['response', 'response_phase'].map((name) => window.elodyn.figures.find((f) => f.spec.name === name).view.x0))
  check(close_to(both[0], both[1], 1e-9), 'magnitude and phase zoom together')
})

await with_page('plate', report(plate_run()), async ({ page }) => {
  check((await page.locator('.card.bad').innerText()).includes('beyond buckling'), 'what failed is the first card')
  const plain = await look(page, Math.PI)
  for (const [i, text] of [[1, 'von Mises stress [Pa]'], [2, 'void fraction']]) {
    await page.getByRole('combobox', { name: 'Colour', exact: true }).selectOption(String(i))
    check((await page.locator('.legend3d').innerText()).includes(text), `coloured by ${text}`)
    check((await look(page, Math.PI)).hash !== plain.hash, `${text} colours differ`)
  }
  const level = (await page.locator('.legend3d .levels span').allInnerTexts()).map(number)
  check(level[0] > 0.145 && level[0] <= 0.15, 'the legend ends at the largest value', level.join())
  await page.getByRole('checkbox', { name: 'cividis' }).check()
  check((await look(page, Math.PI)).colours > 20, 'cividis colours')
})

await with_page('compare', report(shaft('First'), stiffer_shaft()), async ({ page }) => {
  const cells = await seen(page, '[data-table="frequencies"] tbody tr:first-child td')
  check(close_to(number(cells[1]), 45.7, 1e-4) && close_to(number(cells[2]), 50.27, 1e-4) && close_to(number(cells[3]), 10, 1e-6), 'frequencies stand side by side with their difference', cells.join(' '))
  check((await page.locator('.scene').count()) === 2, 'scenes stand side by side')
  check((await look(page, 0.3, 1)).painted > 0.02, 'the second is drawn as well')
  await page.locator('[data-run="1"]').click()
  check((await page.locator('h1').innerText()) === 'Stiffer shaft', 'a run alone can be opened')
})

await with_page('compare_motions', report(mechanism(), { ...mechanism(), name: 'other.out' }), async ({ page }) => {
  const curves = await page.evaluate(() => window.elodyn.figures.find((f) => f.spec.name === 'response').spec.curves.map((c) => [c.label, c.colour, (c.dash ?? []).length > 0]))
  check(JSON.stringify(curves) === JSON.stringify([['crank, tip', 0, false], ['other, tip', 0, true], ['crank, middle', 1, false], ['other, middle', 1, true]]), 'curves of one name have one colour, runs their own dashes', JSON.stringify(curves))
})

for (const [name, options] of [['phone', { viewport: { width: 400, height: 800 } }], ['dark', { colorScheme: 'dark' }], ['calm', { reducedMotion: 'reduce' }]])
  for (const [kind, run] of [['shaft', shaft()], ['mechanism', mechanism()]])
    await with_page(`${kind}_${name}`, report(run), async ({ page }) => {
      check((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${kind}, ${name}: no sideways scrolling`)
      if (name === 'calm') check((await page.getByRole('button', { name: 'Play' }).count()) === 1, 'who wants calm gets no motion unasked')
      if (name === 'dark') {
        const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
        check(paper === 'rgb(14, 17, 22)', 'dark is dark', paper)
        await page.getByRole('button', { name: /^Colours/ }).click()
        check((await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === 'rgb(243, 245, 248)', 'light can be chosen')
      }
      check((await look(page, 0.3)).painted > 0.005, `${kind}, ${name}: bodies are drawn`)
      await page.evaluate(async () => { for (let y = 0; y < document.body.scrollHeight; y += 400) (scrollTo(0, y), await new Promise((done) => setTimeout(done, 40))); scrollTo(0, 0) })
    }, options)

const much = report(large())
check(JSON.stringify(much).length > 50e6, 'large is large', `${JSON.stringify(much).length}`)
await with_page('large', much, async ({ page }) => {
  check((await look(page, 0.3)).painted > 0.02, 'a fine mesh is drawn')
  await page.locator('summary', { hasText: 'History' }).click()
  const scroller = table(page, 'history').locator('.rows')
  await scroller.evaluate((element) => (element.scrollTop = element.scrollHeight))
  await page.waitForFunction(() => [...document.querySelectorAll('[data-table="history"] tr[aria-rowindex]')].pop()?.getAttribute('aria-rowindex') === '1200001')
  check((await page.locator('[data-table="history"] tr[aria-rowindex]').count()) <= 100, 'of a million rows a few are made')
})
await with_page('none', { version: 1, runs: [] }, async ({ page }) => check((await page.locator('main').innerText()).includes('no results'), 'no runs: said'))

await browser.close()
rmSync(folder, { recursive: true })
finish()
