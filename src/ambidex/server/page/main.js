// The page: a conversation, the box to write in, and what keeps two tabs of the same conversation alike.

import { ask, getJson, post, readChat, Refused, resume, setKey } from "/page/api.js";
import { AgentMessage, element, write, userMessage } from "/page/message.js";

const $ = (id) => document.getElementById(id);
const STARTERS = ["What do you know about the studio?", "Which projects are there?", "What can you do?"];
const LOOK_AGAIN_MS = 1500;

let chat = location.hash.slice(1) || begin();
let writing = null;
let last = null;
let numbers = 0;

function begin() {
  const id = `chat-${crypto.randomUUID()}`;
  history.replaceState(null, "", `#${id}`);
  return id;
}

function tell(text) {
  $("notice").textContent = text ?? "";
  $("notice").hidden = !text;
}

function show(item) {
  $("welcome").hidden = true;
  if (!item.isConnected) $("messages").append(item);
  toEnd();
}

// Whoever scrolled up to read is left there; everybody else follows what is added.
function atEnd() {
  const main = document.querySelector("main");
  return main.scrollHeight - main.scrollTop - main.clientHeight < 40;
}

function toEnd() {
  const main = document.querySelector("main");
  main.scrollTop = main.scrollHeight;
}

function busy(controller) {
  writing = controller;
  $("stop").hidden = !controller;
  $("send").disabled = Boolean(controller);
}

// Reads an answer into a message, whoever asked for it.
async function read(chunks, message) {
  message.root.classList.add("writing");
  message.root.setAttribute("aria-busy", "true");
  try {
    for await (const chunk of chunks) {
      const follows = atEnd();
      if (chunk.type === "data-turn") provider(chunk.data);
      else if (chunk.type === "data-progress") tell(chunk.data.message);
      else if (chunk.type === "error") tell(chunk.errorText);
      else message.read(chunk);
      if (follows) toEnd();
    }
  } finally {
    message.root.classList.remove("writing");
    message.root.removeAttribute("aria-busy");
  }
}

async function answer(make, message) {
  const controller = new AbortController();
  busy(controller);
  tell();
  try {
    show(message.root);
    await read(make(controller.signal), message);
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return await signIn(() => answer(make, message));
    if (error.name !== "AbortError") tell(error.message || "The connection broke off; reload to go on.");
  } finally {
    busy(null);
  }
  return undefined;
}

function provider(turn) {
  $("provider").textContent = turn.provider === turn.model ? turn.provider : `${turn.provider} · ${turn.model}`;
  $("provider").hidden = false;
}

async function say(text) {
  const message = { id: `u-${Date.now()}-${numbers++}`, role: "user", parts: [{ type: "text", text }] };
  show(userMessage(text));
  last = new AgentMessage(decide);
  await answer((signal) => ask({ id: chat, trigger: "submit-message", messages: [message] }, signal), last);
}

async function decide(message) {
  const body = {
    id: chat, trigger: "submit-message", messageId: message.id,
    messages: [{ id: message.id, role: "assistant", parts: known(message) }],
  };
  await answer((signal) => ask(body, signal), message);
  if (!message.spoke()) {
    // Refused, or decided elsewhere first and told there: what the server knows is shown, and why.
    const why = $("notice").textContent;
    await load();
    tell(why);
  }
  if (!last?.waits()) $("say").focus();
}

// The decided parts, and the bare ids of the others, so that the server gives no id twice.
function known(message) {
  const decided = message.answered();
  const ids = new Set(decided.map((part) => part.toolCallId));
  return [...decided, ...message.callIds().filter((id) => !ids.has(id)).map((id) => ({ type: "dynamic-tool", toolCallId: id }))];
}

function signIn(then) {
  $("key").showModal();
  return new Promise((done) => {
    $("key").addEventListener("close", async () => {
      setKey($("secret").value);
      $("secret").value = "";
      done(await then());
    }, { once: true });
  });
}

// What was said before, then what is being said, or asked, now.
async function load() {
  let seen;
  try {
    seen = await readChat(chat);
  } catch (error) {
    if (error instanceof Refused && error.status === 401) return signIn(load);
    return tell(error.message);
  }
  $("messages").replaceChildren();
  $("welcome").hidden = seen.messages.length > 0;
  last = null;
  const replayed = seen.running || seen.pending.length > 0;
  const spoken = seen.messages.findLastIndex((message) => message.role === "user");
  for (const [index, message] of seen.messages.entries()) {
    if (message.role === "user") show(userMessage(message.parts[0].text));
    else if (!(replayed && index > spoken)) show(told(message).root);
  }
  if (replayed) {
    last = new AgentMessage(decide);
    await answer((signal) => resume(chat, signal), last);
  }
  return undefined;
}

function told(message) {
  const shown = new AgentMessage(decide);
  for (const part of message.parts) {
    if (part.type === "text") write(shown.add(element("p", "text")), part.text);
    else shown.read(part);
  }
  return shown;
}

// Another tab may decide, or speak: what this one shows is compared with what the server knows.
async function look() {
  if (document.hidden || writing) return;
  try {
    const seen = await readChat(chat);
    const spoken = seen.messages.filter((message) => message.role === "user").length;
    const settled = last?.pending().some((id) => !seen.pending.includes(id));
    const shown = document.querySelectorAll(".message.user").length;
    if (!writing && (settled || seen.running || spoken !== shown)) await load();
  } catch {
    // The next look tells, or the next message does.
  }
}
setInterval(look, LOOK_AGAIN_MS);
document.addEventListener("visibilitychange", look);

$("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = $("say").value.trim();
  if (!text || writing) return;
  $("say").value = "";
  resize();
  await say(text);
  if (!last?.waits()) $("say").focus();
});
$("say").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    $("form").requestSubmit();
  }
});
function resize() {
  $("say").rows = Math.min(8, $("say").value.split("\n").length);
}
$("say").addEventListener("input", resize);
$("stop").addEventListener("click", () => post(`/api/chat/${encodeURIComponent(chat)}/stop`).catch(() => writing?.abort()));
$("fresh").addEventListener("click", () => {
  writing?.abort();
  chat = begin();
  load().then(() => $("say").focus());
});
addEventListener("hashchange", () => {
  if (location.hash.slice(1) && location.hash.slice(1) !== chat) {
    chat = location.hash.slice(1);
    load();
  }
});
$("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  localStorage.setItem("ambidex.theme", document.documentElement.dataset.theme);
});
const theme = localStorage.getItem("ambidex.theme");
if (theme) document.documentElement.dataset.theme = theme;

for (const words of STARTERS) {
  const button = $("starters").appendChild(element("li")).appendChild(element("button", "quiet", words));
  button.addEventListener("click", () => say(words));
}
getJson("/readyz").catch(() => tell("The server is not ready yet."));
load();
