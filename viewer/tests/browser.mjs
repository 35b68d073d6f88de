// Opens pages in Chromium and looks at what they do.
import { chromium } from 'playwright-core'
import { readFileSync, writeFileSync } from 'node:fs'

let passed = 0, failed = 0
export function check(ok, what, detail = '') {
  if (ok) ++passed
  else {
    ++failed
    console.log(`FAILED: ${what}${detail === '' ? '' : `: ${detail}`}`)
  }
  return ok
}
export const close_to = (a, b, tolerance) => Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b))
/** Closing line and exit code. */
export function finish() {
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1
}

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--use-angle=swiftshader'] })

/** As the program does it. */
export function write_page(path, report) {
  const bundle = readFileSync(new URL('../dist/report.html', import.meta.url), 'utf8')
  const json = JSON.stringify(report).replaceAll('<', '\\u003c')
  writeFileSync(path, bundle.replace('/*DATA*/', () => json))
}

/** A page from disk; what it asks for and complains of is collected. */
export async function open_page(browser, path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(60000)
  const complaints = [], requests = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => requests.push(request.url()))
  const url = new URL(`file://${path}`).href
  await page.goto(url)
  await page.waitForFunction(() => window.elodyn?.ready === true)
  return { page, context, url, complaints, others: () => requests.filter((request) => request !== url && !/^(blob|data):/.test(request)) }
}

/** Different colours of the canvas of the scene that is shown, and a sum over its pixels; drawn at a fixed phase. */
export const look = (page, phase, scene = 0) =>
  page.evaluate(([phase, scene]) => {
    const view = window.elodyn.view.scenes[scene]
    view.freeze(phase)
    const canvas = document.createElement('canvas')
    canvas.width = view.canvas.width
    canvas.height = view.canvas.height
    const context = canvas.getContext('2d')
    view.draw()
    context.drawImage(view.canvas, 0, 0)
    const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer)
    const back = pixels[0]
    let hash = 0, painted = 0
    for (const pixel of pixels) (hash = (Math.imul(hash, 31) + pixel) | 0), (painted += pixel === back ? 0 : 1)
    return { colours: new Set(pixels).size, hash, painted: painted / pixels.length }
  }, [phase, scene])

export async function download(page, act) {
  const [download] = await Promise.all([page.waitForEvent('download'), act()])
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}
/** Numbers as the page writes them. */
export const number = (text) => (text === '–' ? NaN : Number(text.replaceAll('−', '-').replaceAll(',', '')))
