// memoryd in OpenClaw: tells the daemon what happens, through its hook script, and gives memory at agent:bootstrap.
// Written by `memoryd install`; a later install renews it. Changes are lost.
//
// Nothing here may hold OpenClaw up or fail in it: every call has an end and swallows its errors. The script has the
// deadline, the spool for a daemon that is down, and the mark of the daemon's own agents.
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { homedir } from "node:os"
import { join } from "node:path"

const SCRIPT = "@SCRIPT@"

const CALL_MS = 3000 // the script gives up after one; more is a machine that stands still
const BOOTSTRAP_MS = 1500
const MAX_SESSIONS = 1000 // that are remembered
const TEXT_CHARS = 100_000 // the daemon keeps 64 KiB, and cuts no secret in two

// Groups have many speakers; in the others an agent, a schedule or another program speaks.
const NOT_OF_A_PERSON = /:(group|channel|room|subagent|acp|cron|hook|slash)(:|$)/
const COMMAND = /^\/[\w-]+(\s|$)/

const sessions = new Map() // by key, the one used longest ago first
let workspace // of the gateway, where it told
let told = Promise.resolve() // one after another, so that they arrive in the order in which they happened

const session = (key) => {
  const known = sessions.get(key) ?? { key, source: "startup" }
  sessions.delete(key)
  sessions.set(key, known)
  if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value)
  return known
}

const events = {
  "gateway:startup": ({ context }) => {
    workspace = context?.workspaceDir
  },
  "agent:bootstrap": async ({ context }, name, one) => {
    one.cwd = context.workspaceDir
    // frozen, because it is asked for at each turn
    one.memory ??= await within(tell(name, one, { source: one.source }), BOOTSTRAP_MS)
    if (!one.memory) return
    const file = { name: "MEMORYD.md", path: join(one.cwd, "MEMORYD.md"), content: one.memory, missing: false }
    context.bootstrapFiles = [...context.bootstrapFiles, file]
  },
  "message:received": ({ context }, name, one) => {
    const text = context?.content
    if (typeof text !== "string" || !text.trim() || COMMAND.test(text)) return
    one.turn = randomUUID()
    return tell(name, one, { turn_id: one.turn, text: text.slice(0, TEXT_CHARS) })
  },
  "message:sent": ({ context }, name, one) => {
    if (!context?.success || typeof context.content !== "string" || !one.turn) return
    return tell(name, one, { turn_id: one.turn, text: context.content.slice(0, TEXT_CHARS) })
  },
  "session:compact:before": (_, name, one) => tell(name, one, {}),
  "session:compact:after": (_, name, one) => {
    one.memory = undefined
    one.source = "compact"
    return tell(name, one, {})
  },
  "command:new": (_, name, one) => end(name, one, "new"),
  "command:reset": (_, name, one) => end(name, one, "reset"),
  "session:auto-reset": ({ context }, name, one) => end(name, one, context?.reason),
}

const end = (name, one, reason) => {
  sessions.delete(one.key)
  return tell(name, one, { reason })
}

export default async function handler(event) {
  try {
    const name = `${event.type}:${event.action}`
    const key = event.sessionKey
    if (name !== "gateway:startup" && (typeof key !== "string" || NOT_OF_A_PERSON.test(key))) return
    await events[name]?.(event, name, session(key))
  } catch {
    // a hook that fails aloud breaks the agent
  }
}

const tell = (name, one, fields) => {
  const payload = { hook_event_name: name, session_id: one.key, cwd: one.cwd ?? workspace, ...fields }
  told = told.then(() => call(name, payload)).catch(() => "")
  return told
}

const call = (name, payload) =>
  new Promise((resolve) => {
    const child = spawn(SCRIPT, ["openclaw", name], { cwd: homedir(), stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill("SIGKILL"), CALL_MS)
    const printed = []
    const end = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    child.on("error", () => end(""))
    child.on("close", () => end(Buffer.concat(printed).toString("utf8")))
    child.stdout.on("data", (piece) => printed.push(piece))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })

const within = (promise, milliseconds) => {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
