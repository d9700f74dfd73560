// The page: which case the address names, what surrounds it, and the line that tells where a thing goes.

const CASES = JSON.parse(document.getElementById("cases").textContent);
const BY_ID = new Map(CASES.map((told, number) => [told.id, number]));
const STATE = { words: "", fare: "all", wire: "chat", bytes: false };
const main = document.getElementById("main");
const inspector = document.getElementById("inspector");
const crumbs = document.getElementById("around");

// The words above the panes, by view.
const NOTES = {
  agents: ["On the other wires with ", ["code", "accept=AGENT_CLIENTS"], " and no tool wrapping: what that set does not name is refused."],
};

// The raw text of a line, not longer than a glance.
function glance(line) {
  const text = line.raw || (line.kind === "array" ? "[…]" : "{…}");
  return text.length > 64 ? `${text.slice(0, 63)}…` : text;
}

// Tells, below the panes, where the chosen line goes.
function inspect(its) {
  inspector.hidden = its === null;
  document.body.classList.toggle("inspecting", its !== null);
  if (its === null) return inspector.replaceChildren();
  const { panes, neutral, pane, line, places, foreign, choose } = its;
  const rows = panes.map((each) => {
    const lines = places[each.name] ?? [];
    const title = each === neutral ? "Neutral" : WIRE_SHORT[each.name];
    let said;
    if (lines.length)
      said = lines.slice(0, 3).map((at) => el("button", { type: "button", class: "place", onclick: () => { pick(each.name); choose(each, at, true); } }, each.lines[at].path)).concat(lines.length > 3 ? ` and ${lines.length - 3} more` : []);
    else if (each === neutral) said = foreign.length ? foreign.map((name) => el("code", {}, name)) : "the wire's own";
    else said = lossesAt(its, each.name);
    const other = lines.length === 1 && each !== pane && each.lines[lines[0]].raw !== pane.lines[line].raw && pane.lines[line].raw ? el("code", { class: "as" }, glance(each.lines[lines[0]])) : null;
    return el("div", { class: each === pane ? "here" : null }, el("dt", {}, title), el("dd", {}, said, each === pane ? el("code", { class: "as" }, glance(pane.lines[line])) : other));
  });
  inspector.replaceChildren(el("dl", {}, rows));
  if (its.pinned && open) {
    const at = pane === neutral || !neutral.lines.length ? line : places.neutral?.[0];
    const path = at === undefined || !neutral.lines.length ? "" : `@${encodeURIComponent(neutral.lines[at].path)}`;
    history.replaceState(null, "", `#${open.id}${path}`);
  }
}

// Why a line shows nowhere on a wire.
function lossesAt({ view, neutral, pane, line, places }, wire) {
  const side = view.wires[wire];
  if (side.refused?.length && !side.text) return el("span", { class: "quiet" }, "the whole request is refused");
  const lines = pane === neutral ? [line] : places.neutral ?? [];
  const names = (side.losses ?? []).filter(([, , at]) => lines.some((each) => {
    const path = neutral.lines[each].path;
    return path === at || path.startsWith(`${at}.`) || path.startsWith(`${at}[`) || at.startsWith(`${path}.`) || at.startsWith(`${path}[`);
  }));
  if (!names.length) return el("span", { class: "quiet" }, lines.length ? "no place of its own" : "—");
  return names.map(([name]) => el("code", { class: "tag" }, name));
}

// On a narrow screen one wire is shown; the others are a tab away.
function pick(wire) {
  if (!WIRES.includes(wire)) return;
  STATE.wire = wire;
  document.body.dataset.wire = wire;
  main.querySelectorAll(".wires [role=tab]").forEach((tab) => {
    const chosen = tab.dataset.wire === wire;
    tab.setAttribute("aria-selected", String(chosen));
    tab.setAttribute("tabindex", chosen ? "0" : "-1");
  });
}

function tabs(wires) {
  const made = el("div", { class: "wires", role: "tablist", "aria-label": "Wire shown" }, wires.map((wire) =>
    el("button", { type: "button", role: "tab", "data-wire": wire, onclick: () => pick(wire) }, WIRE_SHORT[wire])));
  made.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const to = wires[(wires.indexOf(STATE.wire) + step + wires.length) % wires.length];
    pick(to);
    made.querySelector(`[data-wire=${to}]`).focus();
    event.preventDefault();
  });
  return made;
}

function bytesSwitch() {
  const made = el("button", { type: "button", class: "switch", "aria-pressed": String(STATE.bytes) }, "Bytes as sent");
  made.addEventListener("click", () => {
    STATE.bytes = !STATE.bytes;
    made.setAttribute("aria-pressed", String(STATE.bytes));
    document.body.classList.toggle("bytes", STATE.bytes);
  });
  return made;
}

function originOf(told) {
  const its = told.from;
  if (!its) return null;
  return el("p", { class: "origin" }, `${its.program} ${its.version}, ${its.date}. `, its.edits.length ? `Since then: ${its.edits.join("; ")}.` : "As it was sent.");
}

// What the colours at the edge of a body mean.
function swatches() {
  const swatch = (kind, words) => el("li", {}, el("span", { class: `swatch line ${kind}`, "aria-hidden": "true" }), words);
  return el("ul", { class: "legend" }, swatch("h0", "one colour for one neutral thing"), swatch("hb", "the binding's"), swatch("own", "the wire's own"), el("li", {}, "Choose a line to see where it goes."));
}

const VIEW_TITLES = { stream: "Streamed", answer: "Whole" };

function caseElement(told) {
  const texts = (told.unpacked ??= unpack(told.texts));
  const several = told.views.length > 1;
  const views = told.views.map((view, number) => (view.steps ? streamView : bodiesView)(view, texts, number, inspect));
  const wires = WIRES.filter((wire) => views.some((view) => view.wires.includes(wire)));
  const made = el("article", { class: "case", id: "contents" },
    el("header", { class: "title" },
      el("p", { class: "id" }, el("span", {}, GROUPS.find(([group]) => group === groupOf(told.id))[1]), nameOf(told.id)),
      el("h1", { tabindex: "-1" }, told.says),
      originOf(told),
      told.views.map((view) => (NOTES[view.note] ? el("p", { class: "note" }, NOTES[view.note].map((part) => (typeof part === "string" ? part : el(part[0], {}, part[1])))) : null)),
      told.views.some((view) => "neutral" in view) ? swatches() : null,
      bytesSwitch()),
    wires.length > 1 ? tabs(wires) : null,
    told.views.map((view, number) => [
      several ? el("h2", {}, VIEW_TITLES[view.view]) : null,
      view.view === "refused-stream" ? verdictElement(verdictOf(view, texts)) : null,
      views[number].made,
    ]));
  return { made, views, wires };
}

function verdictElement(error) {
  if (!error) return null;
  const facts = [["code", error.code], ["path", error.path || "the whole"], ["dispatch", error.dispatch], ["retriable", String(error.retriable ?? false)], ["kept whole", String(error.partial?.items?.length ?? 0)]];
  return el("section", { class: "refusals verdict", "aria-label": "Refused" },
    el("p", { "data-code": error.code }, el("code", { class: "tag bad" }, error.code), " ", error.message),
    el("dl", {}, facts.slice(1).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}

function surround(told) {
  crumbs.hidden = told === null;
  if (told === null) return;
  const number = BY_ID.get(told.id);
  for (const [id, at] of [["before", number - 1], ["after", number + 1]]) {
    const link = document.getElementById(id);
    link.hidden = !CASES[at];
    if (CASES[at]) {
      link.href = `#${CASES[at].id}`;
      link.setAttribute("aria-label", `${id === "before" ? "Previous" : "Next"} case: ${nameOf(CASES[at].id)}`);
    }
  }
}

let open = null;

// Shows what the address names: a case, a place in it after `@`, or the contents.
function route(first) {
  const [id, path] = decodeURIComponent(location.hash.slice(1)).split("@");
  const told = BY_ID.has(id) ? CASES[BY_ID.get(id)] : null;
  if (open && told && open.id === told.id && path) {
    open.views.some((view) => view.at(path));
    return;
  }
  inspect(null);
  surround(told);
  if (told === null) {
    open = null;
    document.title = "llm_projections: explorer";
    main.replaceChildren(contents(CASES, STATE));
  } else {
    const { made, views, wires } = caseElement(told);
    open = { id: told.id, views };
    document.title = `${nameOf(told.id)}: llm_projections explorer`;
    main.replaceChildren(made);
    pick(wires.includes(STATE.wire) ? STATE.wire : wires[0]);
    if (path) views.some((view) => view.at(path));
  }
  if (!first && !path) {
    scrollTo(0, 0);
    main.querySelector("h1").focus({ preventScroll: true });
  }
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => route(false));
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (!inspector.hidden) open?.views.forEach((view) => view.clear());
  else if (open) location.hash = "";
});
route(true);
