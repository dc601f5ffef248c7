// An agent in Node that remembers, over the socket alone: node examples/node_agent.mjs "I prefer tabs."
import { randomUUID } from "node:crypto";
import net from "node:net";
import readline from "node:readline";

const { HOME, MEMORYD_SOCKET, XDG_DATA_HOME, XDG_RUNTIME_DIR } = process.env;
const mac = process.platform === "darwin";
const data = XDG_DATA_HOME || `${HOME}/${mac ? "Library/Application Support" : ".local/share"}`;
const usual = XDG_RUNTIME_DIR && !mac ? `${XDG_RUNTIME_DIR}/memoryd/memoryd.sock` : `${data}/memoryd/run/memoryd.sock`;
const path = MEMORYD_SOCKET || usual; // or what `[daemon] socket` says
const socket = net.connect(path);
const replies = readline.createInterface({ input: socket })[Symbol.asyncIterator]();

let calls = 0;
async function call(method, params) {
  socket.write(JSON.stringify({ jsonrpc: "2.0", id: ++calls, method, params }) + "\n");
  const { value, done } = await replies.next();
  if (done) throw new Error("the daemon went away");
  const { result, error } = JSON.parse(value);
  if (error) throw new Error(error.message);
  return result;
}

const session = randomUUID();

// What happened; of a start and of a prompt the memory for the model comes back.
async function tell(kind, turn, data) {
  const raw = JSON.stringify({ session_id: session, cwd: process.cwd(), turn_id: turn, data });
  const id = randomUUID().replaceAll("-", "");
  const delivery = { id, at: new Date().toISOString(), host: "generic", event: kind, raw };
  return (await call("hook.deliver", delivery)).stdout;
}

try {
  for (const prompt of process.argv.slice(2)) {
    const turn = randomUUID();
    const memory = await tell("user_prompt", turn, { text: prompt });
    const answer = "A model would answer here."; // call your model with `memory` and `prompt`
    await tell("turn", turn, { last_assistant_message: answer });
    console.log(`${memory}\n\n${answer}`);
  }
  await tell("session_end", undefined, { reason: "exit" });
} catch (error) {
  console.error(`without memory: ${error.message}`); // a daemon that is away never breaks the agent
  process.exitCode = 1;
} finally {
  socket.destroy();
}
