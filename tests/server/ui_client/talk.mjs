// Plays one conversation through the package's own client and prints what its user would see, as JSON.
// node talk.mjs PACKAGE URL STEPS: each step is {"say": text}, {"approve": bool} or {"resume": true}.
const [name, url, script] = process.argv.slice(2);
const ai = await import(name);

const state = {
  status: "ready",
  error: undefined,
  messages: [],
  pushMessage(message) { this.messages = [...this.messages, message]; },
  popMessage() { this.messages = this.messages.slice(0, -1); },
  replaceMessage(index, message) { this.messages = this.messages.map((old, at) => (at === index ? message : old)); },
  snapshot: (value) => structuredClone(value),
};
class Chat extends ai.AbstractChat {}

let requests = 0;
const transient = [];
const counted = (...args) => {
  if (++requests > 10) throw new Error("posted again and again");
  return fetch(...args);
};
const again = (options) =>
  ai.lastAssistantMessageIsCompleteWithApprovalResponses(options) ||
  ai.lastAssistantMessageIsCompleteWithToolCalls(options);
const chat = new Chat({
  id: "chat-node",
  state,
  transport: new ai.DefaultChatTransport({ api: `${url}/api/chat`, fetch: counted }),
  sendAutomaticallyWhen: again,
  onData: (part) => transient.push(part.type),
});
const settled = async () => {
  let idle = 0;
  while (idle < 5) {
    await new Promise((done) => setTimeout(done, 20));
    idle = chat.status === "ready" || chat.status === "error" ? idle + 1 : 0;
  }
};

for (const step of JSON.parse(script)) {
  if (step.say !== undefined) await chat.sendMessage({ text: step.say });
  else if (step.resume) {
    state.messages = [];
    await chat.resumeStream();
  } else {
    const parts = chat.messages.at(-1).parts.filter((part) => part.state === "approval-requested");
    for (const part of parts) await chat.addToolApprovalResponse({ id: part.approval.id, approved: step.approve });
  }
  await settled();
}
console.log(JSON.stringify({
  status: chat.status,
  error: chat.error?.message ?? null,
  requests,
  transient,
  messages: chat.messages,
}));
