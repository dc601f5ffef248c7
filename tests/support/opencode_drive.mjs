// Plays opencode to the plugin: node opencode_drive.mjs PLUGIN STEPS; prints what each hook left in its output.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const [plugin, steps] = process.argv.slice(2)
const exported = await import(pathToFileURL(plugin))
const hooks = await exported.Memoryd({ directory: "/w" })
const outputs = []
for (const [hook, input, output] of JSON.parse(readFileSync(steps, "utf8"))) {
  await hooks[hook]?.(input, output)
  outputs.push(output ?? null)
}
await hooks.dispose?.()
console.log(JSON.stringify({ exports: Object.keys(exported), hooks: Object.keys(hooks), outputs }))
process.exit(0) // as opencode does
