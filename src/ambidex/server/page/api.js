// Speaks to the server: requests with the key of this tab, and the stream of an answer chunk by chunk.

const KEY = "ambidex.key";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export function setKey(secret) {
  sessionStorage.setItem(KEY, secret);
}

async function request(path, options = {}) {
  const headers = { ...options.headers };
  const secret = sessionStorage.getItem(KEY);
  if (secret) headers.authorization = `Bearer ${secret}`;
  if (options.body) headers["content-type"] = "application/json";
  const response = await fetch(path, { ...options, headers });
  if (!response.ok) throw new Refused(response.status, sentence(await response.text()));
  return response;
}

function sentence(body) {
  try {
    return JSON.parse(body).error.message;
  } catch {
    return body || "The server did not answer.";
  }
}

export async function getJson(path) {
  return (await request(path)).json();
}

export async function post(path) {
  return request(path, { method: "POST" });
}

export function readChat(chat) {
  return getJson(`/api/chat/${encodeURIComponent(chat)}`);
}

// Chunks of a new answer.
export async function* ask(body, signal) {
  yield* chunks(await request("/api/chat", { method: "POST", body: JSON.stringify(body), signal }));
}

// Chunks of an answer that is being written or waits for a decision; none when there is none.
export async function* resume(chat, signal) {
  const response = await request(`/api/chat/${encodeURIComponent(chat)}/stream`, { signal });
  if (response.status !== 204) yield* chunks(response);
}

async function* chunks(response) {
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const events = rest.split("\n\n");
    rest = events.pop();
    for (const event of events) {
      if (event.startsWith("data: ") && event !== "data: [DONE]") yield JSON.parse(event.slice(6));
    }
  }
}
