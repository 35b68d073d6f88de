// Pages that the program wrote, beside their results.json: they open, say what the numbers say, and move.
//   node tests/reports.mjs [--pictures DIR] DIR…   each DIR has report.html and results.json, or folders that have
//   --bundle   puts the data into the bundle that is here, to try it without building the program
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { check, close_to, download, finish, launch, look, number, open_page, write_page } from './browser.mjs'

const given = process.argv.slice(2)
const option = (name) => {
  const i = given.indexOf(name)
  return i < 0 ? null : given.splice(i, 2)[1]
}
const pictures = option('--pictures')
const own_bundle = given.includes('--bundle')
if (pictures !== null) mkdirSync(pictures, { recursive: true })
const folders = given.filter((name) => !name.startsWith('--')).flatMap((name) => {
  const path = resolve(name)
  if (existsSync(join(path, 'report.html'))) return [path]
  return existsSync(path) ? readdirSync(path).sort().map((inner) => join(path, inner)).filter((inner) => existsSync(join(inner, 'report.html'))) : []
})
check(folders.length > 0, 'there are reports', given.join(' '))
const temporary = mkdtempSync(join(tmpdir(), 'elodyn-reports-'))
const browser = await launch()

/** Cells of all tables as they are shown. */
const all_cells = (page) =>
  page.evaluate(() => Object.fromEntries([...document.querySelectorAll('[data-table]')].reverse().map((element) => [element.dataset.table, {
    heads: [...element.querySelectorAll('thead th:not(.act)')].map((head) => head.textContent.trim()),
    rows: [...element.querySelectorAll('tbody tr:not(.spacer)')].map((row) => [...row.querySelectorAll('td:not(.act)')].map((cell) => cell.textContent)),
  }])))
/** Colours of each plot, scrolled to one after the other; 0: never drawn. */
const all_plots = (page) =>
  page.evaluate(async () => {
    const result = []
    for (const { element, view, spec } of window.elodyn.figures) {
      element.scrollIntoView({ block: 'center', behavior: 'instant' })
      let canvas = null
      for (let tries = 0; tries < 300 && canvas === null; ++tries) {
        await new Promise((done) => setTimeout(done, 10))
        canvas = element.querySelector('.u-wrap canvas')
      }
      await new Promise((done) => setTimeout(done, 20))
      const pixels = canvas === null ? [] : new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)
      const has_limits = Object.values(view).every((value) => Number.isFinite(value)) && (spec.curves.length > 0 || spec.cells !== undefined)
      result.push({ name: spec.name, colours: new Set(pixels).size, has_limits })
    }
    return result
  })

async function test(folder) {
  const name = basename(folder)
  let path = join(folder, 'report.html')
  const data = JSON.parse(readFileSync(path, 'utf8').match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1])
  if (own_bundle) write_page((path = join(temporary, `${name}.html`)), data)
  const results = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'))
  const { page, context, complaints, others } = await open_page(browser, path)
  check((await page.locator('h1').innerText()) === (results.title || data.runs[0].name), `${name}: the title`, await page.locator('h1').innerText())
  // every table of the results is on the page with its numbers
  await page.evaluate(() => document.querySelectorAll('details.folded').forEach((details) => (details.open = true)))
  await page.waitForFunction(() => [...document.querySelectorAll('details.folded')].every((details) => details.childElementCount > 1))
  const tables = await all_cells(page)
  if ((results.modes ?? []).length > 0) {
    const shown = tables.modes
    const at = shown.heads.findIndex((head) => head.startsWith('frequency'))
    check(shown.rows.length === results.modes.length && shown.rows.every((row, i) => close_to(number(row[at]), results.modes[i].hz, 6e-6)), `${name}: frequencies are those of results.json`)
  }
  for (const table of results.tables) {
    if (table.name === 'modes' && results.modes.length > 0) continue
    const shown = tables[table.name]
    if (!check(shown !== undefined, `${name}: table ${table.name} is on the page`)) continue
    const wrong = table.columns.flatMap((column, c) => shown.rows.flatMap((row, r) => {
      const value = column.values[r]
      const same = value === null ? row[c] === '–' : typeof value === 'number' ? close_to(number(row[c]), value, 6e-6) : row[c] === value
      return same ? [] : [`${column.name}[${r}]: ${row[c]} for ${value}`]
    }))
    const n_rows = table.columns[0]?.values.length ?? 0
    check(wrong.length === 0 && (shown.rows.length === n_rows || (n_rows > 200 && shown.rows.length > 20)), `${name}: numbers of ${table.name} are those of results.json`, wrong.slice(0, 3).join('; '))
  }
  // what cannot be right if the page is right
  for (const value of await page.locator('.card .value, .card .text').allInnerTexts()) check(!/NaN|undefined|null|Infinity/.test(value), `${name}: verdicts make sense`, value)
  // pictures
  const n_scenes = data.runs[0].scenes.length
  for (let i = 0; i < n_scenes; ++i) {
    if (n_scenes > 1) await page.locator('.scenes .tabs button').nth(i).click()
    const scene = data.runs[0].scenes[i]
    const a = await look(page, 0.2, i), b = await look(page, 0.2, i), c = await look(page, scene.frames ? 0.45 : 2.2, i)
    check(a.painted > 0.001 && a.colours > 10, `${name}: scene ${scene.name} is drawn`, JSON.stringify(a))
    check(a.hash === b.hash, `${name}: scene ${scene.name} stands still when frozen`)
    const moves = scene.shapes.length > 0 || (scene.frames?.points ?? []).some((points) => !Array.isArray(points) || points.length > 0)
    if (moves) check(a.hash !== c.hash, `${name}: scene ${scene.name} moves pixels`)
    for (let shape = 0; shape < Math.min(scene.shapes.length, 4); ++shape) {
      const title = await page.evaluate(([i, shape]) => {
        const view = window.elodyn.view.scenes[i], wanted = window.elodyn.report.runs[0].scenes[i].shapes[shape]
        view.choose(view.choices.findIndex((choice) => choice.shape === wanted))
        return document.querySelector('.scene select')?.selectedOptions[0].textContent ?? ''
      }, [i, shape])
      check(title === '' || scene.shapes.length === 1 || title === scene.shapes[shape].title.replace(/`([^`]*)`/g, '$1'), `${name}: shape ${shape} is chosen`, title)
      check((await look(page, 0.2, i)).painted > 0.001, `${name}: shape ${shape} of ${scene.name} is drawn`)
    }
    if (pictures !== null) {
      await page.evaluate(([i]) => window.elodyn.view.scenes[i].choose(0), [i])
      await look(page, scene.frames ? 0.3 : scene.shapes[0]?.kind === 'static' ? Math.PI : 0.2, i)
      await page.locator('.scene').screenshot({ path: join(pictures, `${name}-scene-${scene.name}.png`) })
    }
  }
  // the Campbell diagram
  const campbell = data.runs[0].campbell
  if (campbell !== undefined) {
    check(campbell.branches.every((branch, k) => branch.omega.every((value, i) => value === results.campbell.branches[k].omega[i] || (value === null) === (results.campbell.branches[k].omega[i] === null))), `${name}: branches are those of results.json`)
    const chart = page.locator('[data-figure="campbell"]')
    await chart.scrollIntoViewIfNeeded()
    await chart.locator('.u-over').waitFor()
    const stored = data.runs[0].scenes.flatMap((scene) => scene.shapes).filter((shape) => shape.campbell !== undefined)
    for (const shape of stored.filter((_, i) => i % Math.ceil(stored.length / 5) === 0)) {
      const { branch, speed } = shape.campbell
      const omega = campbell.branches[branch].omega[speed]
      if (omega === null) continue
      const [x, y] = await page.evaluate(([x, y]) => {
        const figure = window.elodyn.figures.find((f) => f.spec.name === 'campbell'), box = document.querySelector('[data-figure="campbell"] .u-over').getBoundingClientRect()
        const { x0, x1, y0, y1 } = figure.view
        return [box.x + (box.width * (x - x0)) / (x1 - x0), box.y + box.height * (1 - (y - y0) / (y1 - y0))]
      }, [(campbell.speeds[speed] * 30) / Math.PI, omega / (2 * Math.PI)])
      await page.mouse.move(x + 3, y)
      await page.mouse.move(x, y)
      await page.mouse.click(x, y)
      const played = await page.evaluate(() => { const view = window.elodyn.view.scenes.find((s) => s.element.isConnected); return view.choices[view.chosen()].shape })
      // where branches cross another may be under the pointer, at the same frequency
      const right = played?.campbell !== undefined && played.campbell.speed === speed && close_to(campbell.branches[played.campbell.branch].omega[speed], omega, 0.02)
      check(right, `${name}: a click at ${campbell.branches[branch].label}, speed ${speed}, plays that mode`, JSON.stringify(played?.campbell))
    }
  }
  // plots are drawn and arrive as files
  const plots = await all_plots(page)
  for (const plot of plots) check(plot.colours > 8 && plot.has_limits, `${name}: plot ${plot.name} is drawn`, JSON.stringify(plot))
  if (plots.length > 0) {
    const figure = page.locator(`[data-figure="${plots[0].name}"]`).first()
    const svg = (await download(page, () => figure.getByRole('button', { name: 'SVG' }).click())).bytes.toString()
    check(svg.startsWith('<svg') && !svg.includes('NaN') && svg.trimEnd().endsWith('</svg>'), `${name}: a plot arrives as SVG`)
    const png = await download(page, () => figure.getByRole('button', { name: 'PNG' }).click())
    check(png.bytes.subarray(1, 4).toString() === 'PNG', `${name}: a plot arrives as PNG`)
  }
  if (results.tables.length > 0) {
    const csv = await download(page, () => page.locator('.table').last().getByRole('button', { name: 'CSV' }).click())
    check(csv.bytes.length > 5, `${name}: a table arrives as CSV`)
  }
  if (pictures !== null) {
    await page.evaluate(() => scrollTo(0, 0))
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    await page.screenshot({ path: join(pictures, `${name}-first.png`) })
    await page.setViewportSize({ width: 400, height: 800 })
    await page.waitForTimeout(200)
    await page.screenshot({ path: join(pictures, `${name}-phone.png`) })
  }
  await page.setViewportSize({ width: 400, height: 800 })
  const fits = await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth, null, { timeout: 10000 }).then(() => true, () => false)
  check(fits, `${name}: fits 400 px`)
  check(complaints.length === 0, `${name}: the console is silent`, complaints.slice(0, 3).join('; '))
  check(others().length === 0, `${name}: nothing is requested`, others().join(' '))
  await context.close()
}

// two at a time
const waiting = [...folders]
const work = async () => {
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift())
    try {
      await test(folder)
    } catch (error) {
      check(false, `${basename(folder)} could not be tested to its end`, error.message)
    }
}
await Promise.all([work(), work()])
await browser.close()
rmSync(temporary, { recursive: true })
finish()
