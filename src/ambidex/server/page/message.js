// One message of the agent: its parts, as chunks change them, and how they look. Text is only ever set as text.

const STATES = {
  running: "running …", ok: "done", failed: "failed", refused: "not run", waiting: "waits for you", rejected: "you said no",
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

// Goes on in this paragraph; an empty line begins another one. The last one is given back, to go on from there.
export function write(paragraph, words) {
  const [first, ...others] = (paragraph.textContent + words).split(/\n{2,}/);
  paragraph.textContent = first;
  let last = paragraph;
  for (const text of others) {
    const next = element("p", "text", text);
    last.after(next);
    last = next;
  }
  return last;
}

// A call that no gate let through never ran, so it took no time.
function standing(data) {
  if (data.state !== "failed") return STATES[data.state] ?? data.state;
  const why = (data.error ?? "").toLowerCase().replaceAll("_", " ");
  return [data.ms === 0 ? STATES.refused : STATES.failed, why].filter(Boolean).join(" · ");
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

  // Whether words are the last thing in it.
  spoke() {
    return Boolean(this.root.lastElementChild?.matches("p, .sources"));
  }

  waits() {
    return this.pending().length > 0;
  }

  read(chunk) {
    const type = chunk.type;
    if (type === "start") this.id = chunk.messageId ?? this.id;
    else if (type === "start-step") this.timeline = null;
    else if (type === "text-start") this.texts.set(chunk.id, this.add(element("p", "text", "")));
    else if (type === "text-delta") this.texts.set(chunk.id, write(this.texts.get(chunk.id), chunk.delta));
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
    const call = { id: chunk.toolCallId, name: chunk.toolName, row, state: element("span", "input", STATES.input) };
    call.line = row.appendChild(element("div", "line"));
    call.line.append(element("span", "name", chunk.toolName), call.state);
    this.calls.set(call.id, call);
    if (chunk.type === "tool-input-available") this.detail(call, "asked for", chunk.input);
  }

  detail(call, what, value) {
    if (!call.details) {
      // The whole line opens what was asked for and what came of it.
      call.details = element("details");
      const summary = call.details.appendChild(element("summary", "line"));
      summary.append(...call.line.childNodes);
      call.line.replaceWith(call.details);
    }
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    call.details.append(element("div", "what", what), element("pre", "", text));
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
    const time = data.ms ? ` · ${data.ms < 10 ? data.ms.toFixed(1) : Math.round(data.ms)} ms` : "";
    call.state.className = data.state;
    call.state.textContent = standing(data) + time + (data.deduplicated ? " · once only" : "");
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
    this.mark(chunk.sourceId);
    const item = this.sources.appendChild(element("li"));
    if (chunk.url && /^https?:\/\//.test(chunk.url)) {
      const link = item.appendChild(element("a", "", chunk.title));
      link.href = chunk.url;
      link.rel = "noopener noreferrer nofollow";
      link.target = "_blank";
    } else item.append(element("span", "", chunk.title));
    item.append(" ", element("code", "", chunk.sourceId));
  }

  // The record's id, wherever the answer names it, stands out from the words around it.
  mark(id) {
    const whole = new RegExp(`(?<![\\w-])${id.replace(/\W/g, "\\$&")}(?![\\w-])`);
    for (const text of this.root.querySelectorAll("p.text")) {
      for (const node of [...text.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE)) {
        const [first, ...others] = node.data.split(whole);
        if (others.length) node.replaceWith(first, ...others.flatMap((words) => [element("cite", "", id), words]));
      }
    }
  }

  // A headline, perhaps a warning, and every argument as it will run, one in each line that is set in.
  preview(text) {
    const [headline, ...lines] = text.split("\n");
    const shown = [element("p", "headline", headline)];
    const warnings = lines.filter((line) => !line.startsWith("  "));
    if (warnings.length) shown.push(element("p", "warning", warnings.join("\n")));
    const values = lines.filter((line) => line.startsWith("  "));
    if (values.length) shown.push(element("pre", "", values.map((line) => line.slice(2)).join("\n")));
    return shown;
  }

  card(data) {
    const known = this.cards.get(data.id);
    if (known) return this.settle(data.id, data.state);
    const card = { state: data.state, callId: data.callId, root: this.add(element("section", "card")) };
    card.root.setAttribute("aria-label", "Needs your approval");
    card.root.tabIndex = -1;
    card.title = card.root.appendChild(element("h3", "", "May I do this?"));
    card.root.append(...this.preview(data.preview ?? data.tool));
    card.row = card.root.appendChild(element("div", "row"));
    const yes = card.row.appendChild(element("button", "", "Approve"));
    const no = card.row.appendChild(element("button", "quiet", "Reject"));
    if (data.expires) card.row.append(element("span", "left", `until ${new Date(data.expires).toLocaleTimeString()}`));
    yes.addEventListener("click", () => this.chose(card, true));
    no.addEventListener("click", () => this.chose(card, false));
    this.cards.set(data.id, card);
    if (data.state !== "pending") this.settle(data.id, data.state);
    // The card and not its button, and nothing while somebody writes: a key meant for words must never approve.
    else if (!document.activeElement?.value) card.root.focus({ preventScroll: true });
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
