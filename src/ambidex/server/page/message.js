// One message of the agent: its parts, as chunks change them, and how they look. Text is only ever set as text.

const STATES = {
  running: "running …", ok: "done", failed: "failed", waiting: "waits for you", rejected: "you said no",
  expired: "too late", input: "writing …",
};

export function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export function userMessage(text) {
  return element("li", "message user", text);
}

export class AgentMessage {
  constructor(decide) {
    this.id = "";
    this.decide = decide;
    this.root = element("li", "message agent");
    this.calls = new Map();
    this.cards = new Map();
    this.texts = new Map();
    this.sources = null;
    this.timeline = null;
  }

  // What the client would send back: only what was decided.
  answered() {
    const decided = [...this.calls.values()].filter((call) => call.decision !== undefined && call.token);
    return decided.map((call) => ({
      type: `tool-${call.name}`, toolCallId: call.id, state: "approval-responded",
      approval: { id: call.token, approved: call.decision },
    }));
  }

  callIds() {
    return [...this.calls.keys()];
  }

  pending() {
    return [...this.cards].filter(([, card]) => card.state === "pending").map(([id]) => id);
  }

  waits() {
    return this.pending().length > 0;
  }

  read(chunk) {
    const type = chunk.type;
    if (type === "start") this.id = chunk.messageId ?? this.id;
    else if (type === "start-step") this.timeline = null;
    else if (type === "text-start") this.texts.set(chunk.id, this.add(element("p", "text", "")));
    else if (type === "text-delta") this.texts.get(chunk.id).textContent += chunk.delta;
    else if (type === "tool-input-start" || type === "tool-input-available") this.call(chunk);
    else if (type === "tool-output-available") this.outcome(chunk.toolCallId, chunk.output);
    else if (type === "tool-output-error") this.outcome(chunk.toolCallId, chunk.errorText);
    else if (type === "tool-approval-request") this.token(chunk);
    else if (type === "data-timeline") this.progress(chunk.id, chunk.data);
    else if (type === "data-confirmation") this.card(chunk.data);
    else if (type === "data-notice") this.add(element("p", "told", chunk.data.text));
    else if (type === "source-url" || type === "source-document") this.source(chunk);
  }

  add(child) {
    this.root.append(child);
    return child;
  }

  call(chunk) {
    const known = this.calls.get(chunk.toolCallId);
    if (known) return this.detail(known, "asked for", chunk.input);
    this.texts.clear();
    if (!this.timeline) this.timeline = this.add(element("ul", "timeline"));
    const row = this.timeline.appendChild(element("li"));
    const call = { id: chunk.toolCallId, name: chunk.toolName, row, state: element("span", "", STATES.input) };
    row.append(element("span", "name", chunk.toolName), call.state);
    this.calls.set(call.id, call);
    if (chunk.type === "tool-input-available") this.detail(call, "asked for", chunk.input);
  }

  detail(call, what, value) {
    if (!call.details) {
      call.details = call.row.appendChild(element("details"));
      call.details.append(element("summary", "", "details"));
    }
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    call.details.append(element("div", "", what), element("pre", "", text));
  }

  outcome(id, value) {
    const call = this.calls.get(id);
    if (call) this.detail(call, "gave", value);
  }

  progress(id, data) {
    let call = this.calls.get(id);
    if (!call) {
      this.call({ type: "tool-input-start", toolCallId: id, toolName: data.tool });
      call = this.calls.get(id);
    }
    const time = data.ms === undefined ? "" : ` · ${data.ms < 10 ? data.ms.toFixed(1) : Math.round(data.ms)} ms`;
    const why = data.error && data.state === "failed" ? ` · ${data.error}` : "";
    call.state.className = data.state;
    call.state.textContent = (STATES[data.state] ?? data.state) + time + why + (data.deduplicated ? " · once only" : "");
  }

  token(chunk) {
    const call = this.calls.get(chunk.toolCallId);
    if (call) call.token = chunk.approvalId;
  }

  source(chunk) {
    if (!this.sources) {
      this.sources = this.add(element("ul", "sources"));
      this.sources.setAttribute("aria-label", "Records that this answer names");
    }
    const item = this.sources.appendChild(element("li"));
    if (chunk.url && /^https?:\/\//.test(chunk.url)) {
      const link = item.appendChild(element("a", "", chunk.title));
      link.href = chunk.url;
      link.rel = "noopener noreferrer nofollow";
      link.target = "_blank";
    } else item.append(element("span", "", chunk.title));
    item.append(" ", element("code", "", chunk.sourceId));
  }

  card(data) {
    const known = this.cards.get(data.id);
    if (known) return this.settle(data.id, data.state);
    const card = { state: data.state, callId: data.callId, root: this.add(element("section", "card")) };
    card.root.setAttribute("aria-label", "Needs your approval");
    card.title = card.root.appendChild(element("h3", "", "May I do this?"));
    card.root.append(element("pre", "", data.preview ?? data.tool));
    card.row = card.root.appendChild(element("div", "row"));
    const yes = card.row.appendChild(element("button", "", "Approve"));
    const no = card.row.appendChild(element("button", "quiet", "Reject"));
    if (data.expires) card.row.append(element("span", "left", `until ${new Date(data.expires).toLocaleTimeString()}`));
    yes.addEventListener("click", () => this.chose(card, true));
    no.addEventListener("click", () => this.chose(card, false));
    this.cards.set(data.id, card);
    if (data.state !== "pending") this.settle(data.id, data.state);
    else yes.focus({ preventScroll: true });
  }

  chose(card, approved) {
    const call = this.calls.get(card.callId);
    if (!call || card.state !== "pending") return;
    call.decision = approved;
    card.row.replaceChildren(element("span", "left", approved ? "approved, running …" : "rejected"));
    // All requests of one message are answered together, as the model asked them.
    card.state = "decided";
    if (!this.waits()) this.decide(this);
  }

  settle(id, state) {
    const card = this.cards.get(id);
    if (!card || card.state === state) return;
    card.state = state;
    const words = { approved: "Approved", rejected: "Rejected", expired: "Expired; nothing was done", settled: "Settled" };
    card.title.textContent = words[state] ?? state;
    card.root.classList.add("settled");
    card.row.replaceChildren();
    const call = this.calls.get(card.callId);
    if (call) { call.token = undefined; call.decision = undefined; }
  }
}
