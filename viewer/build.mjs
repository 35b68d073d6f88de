// Makes dist/report.html: one page, nothing to load. The same sources give the same bytes.
//   node build.mjs          writes it
//   node build.mjs --check  compares it with the committed one
import { build } from 'esbuild'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const result = await build({
  absWorkingDir: here,
  entryPoints: ['src/main.ts'],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  write: false,
  outdir: 'out',
  legalComments: 'inline',
})
const text = (ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text
const script = text('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--').trim()
let page = readFileSync(here + 'index.html', 'utf8')
page = page.replace('/*STYLE*/', () => text('.css').trim()).replace('/*SCRIPT*/', () => script)
if (page.split('/*DATA*/').length !== 2) throw new Error('the place of the data must be there once')

const target = here + 'dist/report.html'
if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== page) {
    console.error('viewer/dist/report.html is not what its sources give: run `npm run build` in viewer/')
    process.exit(1)
  }
  console.log(`viewer/dist/report.html is what its sources give (${Math.round(page.length / 1000)} kB)`)
} else {
  mkdirSync(here + 'dist', { recursive: true })
  writeFileSync(target, page)
  console.log(`${target}: ${Math.round(page.length / 1000)} kB`)
}
