// A neutral document beside its bodies: panes of lines, linked by what makes what.

const TITLES = {
  request: ["Neutral turn", "request"],
  answer: ["Neutral outcome", "answer"],
  error: ["Refusal", "error answer"],
  refused: ["", "request"],
};
const HUES = 8;

// The item, tool or instruction that a path of the neutral document belongs to; in a refusal each leaf is its own.
function ownerOf(path, view) {
  if (view === "error") return path;
  const found = /^(items|instructions|tools)\[\d+\]/.exec(path);
  return found ? found[0] : path.split(/[.[]/)[0];
}

// Each owner's colour, in the order of the document; tools share one, and what only heads the document has none.
function huesOf(lines, view) {
  const hues = new Map();
  let number = 0;
  for (const line of lines) {
    const owner = ownerOf(line.path, view);
    if (hues.has(owner)) continue;
    const plain = ["format", "model", "kind", "items", "instructions", "cache_marks", "upstream", "dispatch", "tools"].includes(owner);
    hues.set(owner, owner.startsWith("tools[") ? "ht" : plain ? "hs" : `h${number++ % HUES}`);
  }
  return hues;
}

// A pane: its lines by path, and for a wire what makes each.
class Pane {
  constructor(name, text) {
    this.name = name;
    this.text = text;
    try {
      this.lines = text === null ? [] : linesOf(text);
    } catch {
      this.lines = null;
    }
    this.byPath = new Map((this.lines ?? []).map((line, number) => [line.path, number]));
  }

  // The line of a path, or the first one below it.
  find(path) {
    const exact = this.byPath.get(path);
    if (exact !== undefined) return exact;
    const found = (this.lines ?? []).findIndex((line) => line.path.startsWith(path) && /^[.[]/.test(line.path.slice(path.length)));
    return found < 0 ? null : found;
  }

  // The line of a path, or of the nearest one around it.
  near(path) {
    for (let at = path; at !== null; at = around(at)) {
      const found = this.find(at);
      if (found !== null) return found;
    }
    return null;
  }
}

// What makes each line of a wire: lines of the neutral pane, and places that are not in it (the binding's).
function link(neutral, pane, map, places) {
  const made = new Map(map.map(([path, ...sources]) => [path, sources.map((number) => places[number])]));
  pane.links = pane.lines.map((line) => {
    for (let at = line.path; at !== null && at !== ""; at = around(at)) {
      if (!made.has(at)) continue;
      const rest = line.path.slice(at.length);
      const sources = made.get(at);
      const lines = sources.map((source) => neutral.byPath.get(source + rest) ?? neutral.find(source)).filter((found) => found !== null && found !== undefined);
      return { lines: [...new Set(lines)], foreign: sources.filter((source) => source.startsWith("binding.")) };
    }
    return { lines: [], foreign: [] };
  });
  pane.from = new Map();
  pane.links.forEach((its, number) => its.lines.forEach((line) => pane.from.set(line, [...(pane.from.get(line) ?? []), number])));
}

// Where a neutral line shows on a wire: its own lines, or those of what it holds.
function shownAt(neutral, pane, number) {
  const direct = pane.from.get(number);
  if (direct) return direct;
  const path = neutral.lines[number].path;
  const inside = neutral.lines.flatMap((line, other) => (line.path.startsWith(path) && /^[.[]/.test(line.path.slice(path.length)) ? pane.from.get(other) ?? [] : []));
  return [...new Set(inside)].sort((one, other) => one - other);
}

// The colours of whatever makes a line, or what it holds.
function ownersOf(pane, number, hues) {
  const { path, kind } = pane.lines[number];
  let linked = pane.links[number].lines;
  if (!linked.length && (kind === "object" || kind === "array")) {
    linked = [];
    for (let at = number + 1; pane.lines[at]?.path.startsWith(path); at += 1) linked.push(...pane.links[at].lines);
  }
  return [...new Set(linked.map((each) => hues.owner(pane.neutral.lines[each].path)))];
}

// A string that may break after its escapes.
const escapes = (raw) => (raw.includes("\\") ? raw.split(/(\\u[0-9a-fA-F]{4}|\\.)/).map((part, at) => (at % 2 ? [el("span", { class: "t-escape" }, part), el("wbr")] : part)) : raw);

// A file of golden/, which may break after its folders.
const fileElement = (name) => el("span", { class: "file" }, `golden/${name}`.split(/(?<=\/)/).map((part) => [part, el("wbr")]));

function lineElement(pane, number, hues, marks) {
  const line = pane.lines[number];
  const its = pane.links?.[number];
  const alone = !pane.links && pane.name !== "neutral";
  const owners = alone ? [] : pane.links ? ownersOf(pane, number, hues) : [hues.owner(line.path)];
  const holds = line.kind === "object" || line.kind === "array";
  const hue = owners.length === 1 ? owners[0] : holds || alone ? "holds" : owners.length ? "many" : its?.foreign.length ? "hb" : "own";
  const kind = line.key === "kind" && line.kind === "string";
  const made = el(
    "div",
    {
      id: `${pane.id}-${number}`,
      role: "option",
      class: `line ${hue ?? "own"} d${Math.min(line.depth, 12)}${marks.length ? " marked" : ""}${marks.some((mark) => mark.bad) ? " bad" : ""}`,
      "aria-selected": "false",
    },
    line.leads.map((lead) => [el("span", { class: "lead" }, String(lead)), " "]),
    line.key === null ? null : [el("span", { class: "t-key" }, line.key), " "],
    holds ? el("span", { class: "t-open" }, line.kind === "array" ? "[]" : "{}") : el("span", { class: kind ? "t-kind" : `value t-${line.kind === "empty" ? "open" : line.kind}${line.raw.length > 300 ? " long" : ""}` }, kind ? line.raw.slice(1, -1) : escapes(line.raw)),
    marks.map((mark) => [" ", el("span", { class: mark.bad ? "tag bad" : "tag" }, mark.text)]),
  );
  if (hue === "many") made.style.setProperty("--many", `linear-gradient(${owners.map((owner, at) => `var(--${owner}) ${(100 * at) / owners.length}% ${(100 * (at + 1)) / owners.length}%`).join(",")})`);
  return made;
}

// What stands below a body: what was left behind, or why there is no body.
function remarks(side, goTo) {
  const place = (path, at) => (path ? el("button", { type: "button", class: "place", onclick: () => goTo(at) }, path) : null);
  const parts = [];
  if (side.losses)
    parts.push(
      el("section", { class: "losses", "aria-label": "Left behind" }, el("h4", {}, `${count(side.losses.length, "thing", "things")} left behind, by name`),
        el("ul", {}, side.losses.map(([name, path, at]) => el("li", { "data-loss": name }, el("code", { class: "tag" }, name), " ", place(path, at))))),
    );
  if (side.refused)
    parts.push(
      el("section", { class: "refusals", "aria-label": "Refused" }, el("h4", {}, count(side.refused.length, "refusal", "refusals")),
        el("ul", {}, side.refused.map(([code, path, at, message, loss]) =>
          el("li", { "data-code": code }, el("code", { class: "tag bad" }, code), " ", place(path, at), el("p", {}, message), loss ? el("p", { class: "hint" }, "could be left behind as ", el("code", {}, loss)) : null)))),
    );
  return parts;
}

// One view of bodies. `show` is told of what is chosen; returns the element and a function that chooses a path.
function bodiesView(view, texts, number, show) {
  const [neutralTitle, what] = TITLES[view.view];
  const neutral = new Pane("neutral", "neutral" in view ? texts[view.neutral] : null);
  const wires = WIRES.filter((wire) => wire in view.wires);
  const hues = huesOf(neutral.lines ?? [], view.view);
  hues.owner = (path) => hues.get(ownerOf(path, view.view));
  const panes = [];
  if (neutral.text !== null) panes.push(neutral);
  for (const wire of wires) {
    const pane = new Pane(wire, "text" in view.wires[wire] ? texts[view.wires[wire].text] : null);
    if (neutral.text !== null && pane.lines?.length) {
      pane.neutral = neutral;
      link(neutral, pane, view.wires[wire].map ?? [], view.places ?? []);
    }
    panes.push(pane);
  }
  panes.forEach((pane) => (pane.id = `v${number}-${pane.name}`));

  // What is marked, by line of the pane that the places are of.
  const home = neutral.text === null ? panes[0] : neutral;
  const marks = new Map();
  const mark = (at, text, bad) => {
    const line = at && home.lines ? home.near(at) : null;
    if (line !== null) marks.set(line, [...(marks.get(line) ?? []), { text, bad }]);
  };
  for (const wire of wires) {
    const side = view.wires[wire];
    (side.losses ?? []).forEach(([name, , at]) => mark(at, `${WIRE_SHORT[wire]}: ${name}`, false));
    (side.refused ?? []).forEach(([code, , at]) => mark(at, home === neutral ? `${WIRE_SHORT[wire]}: ${code}` : code, true));
  }

  let chosen = null;
  const lit = [];
  function light(pane, line, pinned) {
    lit.splice(0).forEach((each) => each.classList.remove("on", "chosen"));
    panes.forEach((each) => each.box?.querySelectorAll("[aria-selected=true]").forEach((other) => other.setAttribute("aria-selected", "false")));
    if (pane === null) return show(null);
    const neutralLines = pane === neutral ? [line] : pane.links?.[line].lines ?? [];
    const places = {};
    for (const each of panes) {
      let its = [];
      if (each === pane) its = [line];
      else if (each === neutral) its = neutralLines;
      else if (each.links) its = [...new Set(neutralLines.flatMap((other) => shownAt(neutral, each, other)))];
      places[each.name] = its;
      its.forEach((at) => {
        const made = each.box.children[at];
        made.classList.add("on");
        if (each === pane) made.classList.add("chosen");
        lit.push(made);
      });
      if (its.length) each.box.setAttribute("aria-activedescendant", `${each.id}-${its[0]}`);
      if (its.length && pinned && each !== pane && each.box.offsetParent) reveal(each.box, each.box.children[its[0]]);
    }
    pane.box.children[line].setAttribute("aria-selected", "true");
    return show({ view, panes, neutral, pane, line, places, pinned, foreign: pane.links?.[line].foreign ?? [], choose });
  }

  function choose(pane, line, focus) {
    chosen = { pane, line };
    light(pane, line, true);
    if (focus && pane.box.offsetParent) pane.box.focus({ preventScroll: true });
    reveal(pane.box, pane.box.children[line]);
  }

  function keys(pane, event) {
    const at = chosen?.pane === pane ? chosen.line : -1;
    const last = pane.lines.length - 1;
    const moves = { ArrowDown: Math.min(at + 1, last), ArrowUp: Math.max(at - 1, 0), Home: 0, End: last, PageDown: Math.min(at + 12, last), PageUp: Math.max(at - 12, 0) };
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in moves) choose(pane, moves[event.key], true);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      const others = panes.filter((each) => each.lines?.length && each.box.offsetParent);
      const to = others[others.indexOf(pane) + (event.key === "ArrowRight" ? 1 : -1)];
      if (!to) return;
      const linked = [...to.box.querySelectorAll(".on")][0];
      choose(to, linked ? [...to.box.children].indexOf(linked) : 0, true);
    } else return;
    event.preventDefault();
  }

  function paneElement(pane) {
    const side = view.wires[pane.name];
    const title = pane === neutral ? neutralTitle : WIRE_NAMES[pane.name];
    const heading = el("h3", { id: `${pane.id}-title` }, title);
    const label = pane === neutral ? title : `${title} ${what}`;
    const parts = [el("header", {}, heading, side?.source ? fileElement(side.source) : null)];
    if (side?.head) parts.push(el("p", { class: "start" }, /^\d/.test(side.head) ? `HTTP ${side.head}` : side.head));
    if (side?.headers?.length) parts.push(el("dl", { class: "headers" }, side.headers.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
    if (pane.lines?.length) {
      pane.box = el("div", { class: "lines", role: "listbox", tabindex: "0", "aria-label": label, onkeydown: (event) => keys(pane, event) },
        pane.lines.map((_, line) => lineElement(pane, line, hues, pane === home ? marks.get(line) ?? [] : [])));
      const lineAt = (event) => {
        const found = event.target.closest(".line");
        return found ? [...pane.box.children].indexOf(found) : -1;
      };
      pane.box.addEventListener("click", (event) => lineAt(event) >= 0 && choose(pane, lineAt(event), true));
      pane.box.addEventListener("focus", () => chosen?.pane !== pane && choose(pane, chosen ? Math.max(0, [...pane.box.children].findIndex((each) => each.classList.contains("on"))) : 0, false));
      if (matchMedia("(hover: hover)").matches) {
        pane.box.addEventListener("mouseover", (event) => lineAt(event) >= 0 && light(pane, lineAt(event), false));
        pane.box.addEventListener("mouseleave", () => (chosen ? light(chosen.pane, chosen.line, false) : light(null)));
      }
      parts.push(pane.box);
    } else if (pane.text !== null) parts.push(el("pre", { class: "raw shown", tabindex: "0", "aria-label": label }, pane.text));
    if (pane.lines?.length) parts.push(el("pre", { class: "raw", tabindex: "0", "aria-label": `${label}, its bytes` }, pane.text));
    if (side) parts.push(...remarks(side, (path) => {
      const found = home.lines ? home.near(path) : null;
      if (found !== null) choose(home, found, true);
    }));
    return el("section", { class: `pane ${pane.name}`, "data-wire": side ? pane.name : null, "aria-labelledby": `${pane.id}-title` }, parts);
  }

  const made = el("div", { class: `panes n${panes.length}` }, panes.map(paneElement));
  const at = (path) => {
    const found = neutral.text === null ? null : neutral.byPath.get(path) ?? null;
    if (found !== null) choose(neutral, found, true);
    return found !== null;
  };
  return { made, at, clear: () => { chosen = null; light(null); }, wires };
}

// Bring a line into sight within its own box, without moving the page more than needed.
function reveal(box, line) {
  if (box.scrollHeight > box.clientHeight + 4) {
    // the last lines of a box may lie behind the inspector
    const top = line.offsetTop;
    if (top < box.scrollTop || top + line.offsetHeight > box.scrollTop + box.clientHeight - 110) box.scrollTop = top - box.clientHeight / 3;
  } else line.scrollIntoView({ block: "nearest" });
}
