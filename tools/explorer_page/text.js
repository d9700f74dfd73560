"use strict";

// Texts: unpacking them, and reading JSON without changing a character of it.

const WIRES = ["chat", "messages", "responses"];
const WIRE_NAMES = { chat: "Chat Completions", messages: "Messages", responses: "Responses" };
const WIRE_SHORT = { chat: "Chat", messages: "Messages", responses: "Responses" };

// An element with attributes and children; what is null or false is left out.
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// The texts of a case: pieces are new text, or the start and length of what was said before.
function unpack(rows) {
  const texts = [];
  let said = "";
  for (const row of rows) {
    let text = "";
    for (let at = 0; at < row.length; at += 1) {
      if (typeof row[at] === "string") text += row[at];
      else {
        const whole = said + text;
        text += whole.slice(row[at], row[at] + row[at + 1]);
        at += 1;
      }
    }
    said += text;
    texts.push(text);
  }
  return texts;
}

const PLAIN = /^[A-Za-z0-9_-]+$/;

// A step further along a path, spelled as tools/explorer_trace.py spells it.
function along(path, step) {
  if (typeof step === "number") return `${path}[${step}]`;
  if (PLAIN.test(step)) return path ? `${path}.${step}` : step;
  return `${path}[${JSON.stringify(step)}]`;
}

// The path around a path; null around the outermost.
function around(path) {
  const cut = Math.max(path.lastIndexOf("."), path.lastIndexOf("["));
  if (cut < 0) return path ? "" : null;
  return path.slice(0, cut);
}

const TOKEN = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|(true|false|null))/y;

// The lines of a JSON text: one a leaf, each token as it stands in the text. Throws where it is no JSON.
function linesOf(text) {
  const lines = [];
  let at = 0;
  let leads = [];

  function next() {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) throw new SyntaxError(`no JSON at ${at}`);
    at = TOKEN.lastIndex;
    return found;
  }

  function line(path, depth, key, raw, kind) {
    lines.push({ path, depth, key, raw, kind, leads });
    leads = [];
  }

  // The value that a token begins. A container has a line of its own only under a key or when it is empty.
  function value(found, path, depth, key) {
    const opens = found[1];
    if (opens === undefined) {
      line(path, depth, key, found[0].trim(), found[2] ? "string" : found[3] ? "number" : "word");
      return;
    }
    if (opens !== "{" && opens !== "[") throw new SyntaxError("no value");
    const closes = opens === "{" ? "}" : "]";
    let member = next();
    if (member[1] === closes) {
      line(path, depth, key, opens + closes, "empty");
      return;
    }
    const inner = key === null ? depth : depth + 1;
    if (key !== null) line(path, depth, key, "", opens === "{" ? "object" : "array");
    for (let number = 0; ; number += 1) {
      if (opens === "{") {
        if (!member[2] || next()[1] !== ":") throw new SyntaxError("no member");
        const name = JSON.parse(member[2]);
        value(next(), along(path, name), inner, PLAIN.test(name) ? name : member[2]);
      } else {
        leads.push(number);
        value(member, along(path, number), inner + 1, null);
      }
      const between = next()[1];
      if (between === closes) break;
      if (between !== ",") throw new SyntaxError("no comma");
      member = next();
    }
  }

  value(next(), "", 0, null);
  if (text.slice(at).trim()) throw new SyntaxError("more than one value");
  return lines;
}

const MARKED = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b|\{\}|\[\]/g;

// JSON as running text, its tokens marked by what they are; it may break after a comma. `known` holds what was said
// before at each path: what is said again is marked, and where much of it follows, a gap stands for it.
function tokens(text, known = null) {
  let leaves = null;
  if (known) {
    try {
      leaves = linesOf(text).filter((line) => line.raw !== "");
    } catch {
      leaves = null;
    }
  }
  const pieces = [];
  let from = 0;
  let leaf = 0;
  for (const found of text.matchAll(MARKED)) {
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), kind: "mark" });
    const kind = found[1] ? "key" : found[0][0] === '"' ? "string" : /^[-\d]/.test(found[0]) ? "number" : "word";
    pieces.push({ text: found[0], kind });
    if (kind !== "key" && leaves) {
      const line = leaves[leaf++];
      const same = line !== undefined && known.get(line.path) === line.raw;
      if (line) known.set(line.path, line.raw);
      for (let at = pieces.length - 1; at >= 0 && pieces[at].same === undefined; at -= 1) pieces[at].same = same;
    }
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), kind: "mark", same: false });
  const made = [];
  const spans = (its) => its.map((piece) => [piece.kind === "mark" ? piece.text : el("span", { class: `t-${piece.kind}` }, piece.text), piece.kind === "key" || piece.text.endsWith(",") ? el("wbr") : null]);
  for (let at = 0; at < pieces.length; ) {
    let to = at;
    while (to < pieces.length && Boolean(pieces[to].same) === Boolean(pieces[at].same)) to += 1;
    const run = pieces.slice(at, to);
    if (!pieces[at].same) made.push(spans(run));
    else if (run.filter((piece) => !["key", "mark"].includes(piece.kind)).length < 2) made.push(el("span", { class: "same" }, spans(run)));
    else made.push(el("span", { class: "gap", title: "as it was said before" }, "\u22ef"), el("span", { class: "same run" }, spans(run)));
    at = to;
  }
  return made;
}

const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
