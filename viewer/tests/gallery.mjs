// Pictures of docs/howto/read-a-report.md, made of the pages of the examples.
//   node tests/gallery.mjs OUT DIR     DIR/EXAMPLE/report.html for each example of the list below
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { check, finish, launch, look, open_page } from './browser.mjs'

const [out, from] = process.argv.slice(2).map((name) => resolve(name))
mkdirSync(out, { recursive: true })
const largest = 150_000 // bytes

const pair = (page) => page.locator('.pair').first()
const scene = (page) => page.locator('.scene')
const figure = (page, name) => page.locator(`[data-figure="${name}"]`).first()
async function drawn(page, name) {
  await figure(page, name).scrollIntoViewIfNeeded()
  await figure(page, name).locator('.u-over').waitFor()
  return figure(page, name)
}
const pictures = [
  { name: 'mechanism', example: 'wind_water_pump', take: async (page) => (await look(page, 0.3), page) },
  { name: 'mechanism_dark', example: 'flexible_slider_crank', options: { colorScheme: 'dark' }, take: async (page) => (await look(page, 0.16), pair(page)) },
  { name: 'hodographs', example: 'wind_water_pump', take: (page) => drawn(page, 'hodograph_of_the_acceleration') },
  {
    name: 'campbell', example: 'campbell_shaft', options: { viewport: { width: 1140, height: 800 } }, take: async (page) => {
      await drawn(page, 'campbell')
      const view = await page.evaluate(() => {
        const figure = window.elodyn.figures.find((f) => f.spec.name === 'campbell'), curve = figure.spec.curves.findIndex((c) => c.label.startsWith('bending 2'))
        const { x0, x1, y0, y1 } = figure.view, box = document.querySelector('[data-figure="campbell"] .u-over').getBoundingClientRect(), c = figure.spec.curves[curve]
        const i = Math.floor(c.x.length / 2)
        return [box.x + (box.width * (c.x[i] - x0)) / (x1 - x0), box.y + box.height * (1 - (c.y[i] - y0) / (y1 - y0))]
      })
      await page.mouse.click(...view)
      await page.mouse.move(view[0] + 1, view[1])
      await look(page, 0.2)
      return pair(page)
    },
  },
  { name: 'mode', example: 'bladed_rotor', take: async (page) => {
    await page.evaluate(() => { const view = window.elodyn.view; for (const tab of document.querySelectorAll('.scenes .tabs button')) if (tab.textContent.startsWith('Mode')) tab.click(); return view.scenes.length })
    const last = await page.evaluate(() => window.elodyn.view.scenes.length - 1)
    await look(page, 0.2, last)
    return scene(page)
  } },
  { name: 'stability', example: 'stability_domain', take: (page) => drawn(page, 'stability:growth') },
  { name: 'response', example: 'frequency_response', take: async (page) => (await page.locator('[data-figure] .u-over').first().waitFor(), page.locator('.tall').first()) },
  { name: 'phone', example: 'wind_water_pump', options: { viewport: { width: 400, height: 800 } }, take: async (page) => (await look(page, 0.3), page) },
]

const browser = await launch()
for (const { name, example, options, take } of pictures) {
  const path = join(from, example, 'report.html')
  if (!check(existsSync(path), `${example} has a page`, path)) continue
  try {
    const { page, context } = await open_page(browser, path, options)
    // what stays on top while scrolling is not to lie on the pictures
    await page.addStyleTag({ content: '.contents { position: static !important }' })
    const what = await take(page)
    await page.waitForTimeout(300)
    const file = join(out, `${name}.png`)
    await what.screenshot({ path: file })
    const size = readFileSync(file).length
    check(size > 5000 && size <= largest, `${name}.png is small`, `${size} bytes`)
    await context.close()
  } catch (error) {
    check(false, `${name}.png`, error.message)
  }
}
await browser.close()
finish()
