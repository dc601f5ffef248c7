// memoryd in opencode: tells the daemon what happens, over its socket, and puts its answer beside the prompt.
// Written by `memoryd install`; a later install renews it. Changes are lost.
//
// Nothing here may hold opencode up or fail in it: every hook has a deadline and swallows its errors. What the daemon
// did not take in time is left in the spool, as the hook script of other hosts does. Only the plugin is exported:
// opencode calls whatever a plugin file exports.
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdir, open, readdir, rename, stat, unlink, utimes } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"

const SOCKET = "@SOCKET@"
const SPOOL = "@SPOOL@"

const HOST = "opencode"
const ANSWER_MS = 1000 // when the answer is put beside the prompt
const ACK_MS = 300
const EXIT_MS = 1000 // for what is still to be told when opencode exits
const SLOW_MS = 10_000 // after a missed deadline all is spooled at once for this long
const START_MS = 60_000 // between two tries to start a daemon
const MAX_LINE_BYTES = 8 * 1024 * 1024
const MAX_SPOOL_FILES = 20_000
const MAX_SESSIONS = 1000 // that are remembered
const TEXT_CHARS = 100_000 // the daemon keeps 64 KiB, and cuts no secret in two
const TOOL_CHARS = 20_000

export const Memoryd = async ({ directory } = {}) => {
  if (process.env.MEMORYD_CHILD) return {} // an agent of the daemon's own

  const sessions = new Map() // by id, the one used longest ago first
  const untold = new Set() // firings that wait for those before them
  let told = Promise.resolve() // one firing after another, so that they arrive in the order in which they happened

  const session = (id) => {
    const known = sessions.get(id) ?? { id, source: "resume", directory, ...nothing() }
    sessions.delete(id)
    sessions.set(id, known)
    if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value)
    return known
  }

  const nothing = () => ({ open: false, answer: null, prompts: new Set(), replies: new Set(), tools: new Map() })

  const tell = (event, about, fields, milliseconds = ACK_MS) => {
    const payload = { session_id: about.id, cwd: about.directory, turn_id: about.turn, ...fields }
    const firing = lineOf(event, payload)
    untold.add(firing)
    told = told
      .then(() => deliver(firing, milliseconds))
      .catch(() => "")
      .finally(() => untold.delete(firing))
    return told
  }

  // -- what happens in a session --

  const prompted = async (input, output) => {
    const one = session(input.sessionID)
    if (one.parent) return startAgent(one, input.agent)
    const text = textOf(output.parts)
    if (!text) return
    if (one.answer) tellAnswer(one) // of a prompt that still runs: opencode answers both before it is idle
    Object.assign(one, { turn: output.message.id, status: "ok", open: true })
    one.prompts.add(output.message.id)
    const start = one.source ? tell("start", one, { source: one.source, turn_id: undefined }, ANSWER_MS) : ""
    one.source = null
    const asked = [start, tell("prompt", one, { prompt: clip(text) }, ANSWER_MS)]
    const answers = asked.map((answer) => within(answer, ANSWER_MS, "")) // the first may be in time, the second not
    const context = (await Promise.all(answers)).filter(Boolean).join("\n\n")
    if (context) output.parts.push(part(context, output))
  }

  const startAgent = (child, type) => {
    child.agent ??= String(type || "agent")
    child.open = true
    tell("agent_start", session(child.parent), { agent_id: child.id, agent_type: child.agent })
  }

  const replied = ({ part: given }) => {
    const one = session(given.sessionID)
    const ours = one.open && (one.parent || one.replies.has(given.messageID)) // not a fork's copy, not a summary
    if (ours && given.type === "tool") {
      if (one.answer) tellAnswer(one)
      usedTool(one, given)
    }
    if (!ours || given.type !== "text" || !given.text || !given.time?.end || given.synthetic) return
    if (one.answer && one.answer.message !== given.messageID) tellAnswer(one)
    const parts = one.answer?.parts ?? new Map()
    one.answer = { message: given.messageID, parts: parts.set(given.id, given.text) }
  }

  // What was said before the last answer; a sub-agent's words are told by its report alone.
  const tellAnswer = (one) => {
    if (!one.parent) tell("text", one, { text: answerOf(one) })
    one.answer = null
  }

  const usedTool = (one, given) => {
    const { id, state = {} } = given
    const over = state.status === "completed" || state.status === "error"
    if (state.time?.compacted || one.tools.get(id) === null) return
    one.tools.set(id, over ? null : given) // null: told
    if (over) tellTool(one, given, state.status === "completed")
  }

  const tellTool = (one, { tool, state = {} }, ok) => {
    const took = state.time?.end - state.time?.start
    tell("tool", one, {
      tool_name: tool,
      tool_input: clipped(state.input),
      tool_result: clip(String(state.output ?? state.error ?? ""), TOOL_CHARS),
      file_path: state.input?.filePath,
      ok,
      duration_ms: Number.isFinite(took) ? took : undefined,
    })
  }

  const idle = ({ sessionID }) => {
    const one = session(sessionID)
    if (!one.open) return // after a compaction by hand, or what was there before us
    for (const waiting of one.tools.values()) if (waiting) tellTool(one, waiting, null)
    const answer = one.answer ? answerOf(one) : undefined
    Object.assign(one, nothing())
    if (!one.parent) return tell("turn", one, { status: one.status, answer })
    tell("agent_stop", session(one.parent), { agent_id: one.id, agent_type: one.agent ?? "agent", report: answer })
  }

  const events = {
    "session.created": ({ info }) => {
      const one = session(info.id)
      const { parentID: parent, time } = info
      Object.assign(one, { source: "startup", parent, directory: info.directory ?? directory, created: time?.created })
    },
    "message.updated": ({ info }) => {
      const one = session(info.sessionID)
      if (one.source === "startup" && info.time?.created < one.created) one.source = "fork" // a copy
      if (one.open && info.role === "user") one.prompts.add(info.id) // opencode's own too: it goes on after a compaction
      const reply = info.role === "assistant" && one.prompts.has(info.parentID) && !info.summary
      if (!reply || one.replies.has(info.id)) return
      if (one.answer) tellAnswer(one)
      one.replies.add(info.id)
    },
    "message.part.updated": replied,
    "session.error": ({ sessionID, error }) => {
      if (sessionID) session(sessionID).status = error?.name === "MessageAbortedError" ? "interrupted" : "failed"
    },
    "session.idle": idle,
    "session.compacted": ({ sessionID }) => {
      const one = session(sessionID)
      if (one.parent) return
      one.source = "compact"
      tell("post_compact", one, { turn_id: undefined })
    },
    "session.deleted": ({ info }) => {
      const one = session(info.id)
      if (!one.parent) tell("end", one, { reason: "deleted", turn_id: undefined })
      sessions.delete(info.id)
    },
  }

  // -- the hooks --

  return {
    event: quietly(({ event }) => events[event.type]?.(event.properties)),
    "chat.message": quietly(prompted),
    "experimental.session.compacting": quietly(({ sessionID }) => {
      const one = session(sessionID)
      if (!one.parent) tell("pre_compact", one, { turn_id: undefined })
    }),
    dispose: quietly(async () => {
      for (const one of sessions.values()) {
        if (one.turn && !one.parent) tell("end", one, { reason: "exit", turn_id: undefined })
      }
      const waiting = [...untold]
      await Promise.allSettled(waiting.map(leave)) // first: opencode may end at any moment
      await within(told, EXIT_MS)
      const taken = waiting.filter((firing) => !untold.has(firing) && firing.taken)
      await Promise.allSettled(taken.map(({ name }) => unlink(join(SPOOL, name)))) // told twice counts once
    }),
  }
}

const quietly = (hook) => async (...given) => {
  try {
    await hook(...given)
  } catch {
    // a hook that fails aloud breaks the agent
  }
}

// -- texts --

const clip = (text, characters = TEXT_CHARS) => text.slice(0, characters)

const clipped = (input) => {
  const text = JSON.stringify(input ?? {})
  return text.length <= TOOL_CHARS ? input : clip(text, TOOL_CHARS)
}

const textOf = (parts) =>
  parts
    .filter((one) => one.type === "text" && !one.synthetic && !one.ignored && one.text?.trim())
    .map((one) => one.text)
    .join("\n\n")

const answerOf = (one) => clip([...one.answer.parts.values()].join("\n\n"))

// Sorted by their ids, it stands behind what was typed.
const part = (text, { message, parts }) => ({
  id: `${parts.at(-1)?.id ?? "prt_"}z`,
  sessionID: message.sessionID,
  messageID: message.id,
  type: "text",
  text,
  synthetic: true,
})

// -- the way to the daemon --

let newest = 0n // spooled firings are read in the order of their names
const nanoseconds = () => {
  const now = BigInt(Date.now()) * 1_000_000n
  newest = now > newest ? now : newest + 1n
  return newest
}

const lineOf = (event, payload) => {
  const id = randomBytes(16).toString("hex")
  const at = new Date()
  const params = { id, at: at.toISOString(), host: HOST, event, cwd: payload.cwd ?? null, env: {} }
  const line = (raw) => {
    const request = { jsonrpc: "2.0", id: 1, method: "hook.deliver", params: { ...params, raw: JSON.stringify(raw) } }
    return JSON.stringify(request) + "\n"
  }
  return { event, payload, line, name: `${nanoseconds()}-${process.pid}-${id}` }
}

const deliver = async (firing, milliseconds) => {
  let late = false
  let absent = false
  if ((await age(".slow")) >= SLOW_MS) {
    try {
      const reply = JSON.parse(await ask(firing.line(firing.payload), milliseconds))
      firing.taken = Boolean(reply.result)
      if (reply.result) return reply.result.stdout
      if (reply.error?.data?.retry === "never") return ""
    } catch (error) {
      late = error === LATE
      absent = error.code === "ENOENT" || error.code === "ECONNREFUSED"
    }
  }
  await leave(firing)
  if (late) await touch(join(SPOOL, ".slow"))
  if (absent) await start()
  return ""
}

// Start the daemon where its configuration lets a hook do so: at most once a minute, never after a stop.
const start = async () => {
  const starter = join(SPOOL, "..", "bin", "memoryd-start")
  await stat(starter) // missing: not wanted
  if ((await age(".starting")) < START_MS || (await age(".stopped")) < Infinity) return
  await touch(join(SPOOL, ".starting"))
  const child = spawn(starter, [], { detached: true, stdio: "ignore", cwd: "/", env: {} })
  child.on("error", () => {})
  child.unref()
}

const leave = (firing) => {
  const { event, payload, line, name } = firing
  return (firing.left ??= spool(name, line(event === "tool" ? outcomeOnly(payload) : payload)))
}

// A tool's input and output may be large and secret.
const outcomeOnly = ({ tool_input, tool_result, file_path, ...rest }) => rest

const LATE = new Error("no answer in time")

const ask = (line, milliseconds) =>
  new Promise((resolve, reject) => {
    const received = []
    const connection = connect(SOCKET)
    const timer = setTimeout(() => end(() => reject(LATE)), milliseconds)
    const end = (settle) => {
      clearTimeout(timer)
      connection.destroy()
      settle()
    }
    connection.on("error", (error) => end(() => reject(error)))
    connection.on("close", () => end(() => reject(new Error("the daemon hung up"))))
    connection.on("data", (piece) => {
      received.push(piece)
      if (piece.includes(10)) end(() => resolve(Buffer.concat(received).toString("utf8")))
    })
    connection.write(line)
  })

const within = (promise, milliseconds, otherwise) => {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(() => resolve(otherwise), milliseconds)))
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// Milliseconds since a mark was touched; without end where there is none, or one from the future.
const age = async (mark) => {
  try {
    const found = Date.now() - (await stat(join(SPOOL, mark))).mtimeMs
    return found >= 0 ? found : Infinity
  } catch {
    return Infinity
  }
}

// Whole and synced under its name, or not at all.
const spool = async (name, line) => {
  if (Buffer.byteLength(line) > MAX_LINE_BYTES) return
  await mkdir(SPOOL, { recursive: true, mode: 0o700 })
  if ((await readdir(SPOOL)).length >= MAX_SPOOL_FILES) return touch(join(SPOOL, ".full"))
  const temporary = join(SPOOL, `.tmp-${name}`)
  try {
    await write(temporary, line)
    await rename(temporary, join(SPOOL, name))
    await sync(SPOOL)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
}

const write = async (path, text) => {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

const sync = async (path) => {
  const directory = await open(path, "r")
  await directory.sync().finally(() => directory.close())
}

const touch = async (path) => {
  await mkdir(SPOOL, { recursive: true, mode: 0o700 })
  await (await open(path, "a", 0o600)).close()
  const now = new Date()
  await utimes(path, now, now)
}
