/** Parses an Ansible INI inventory: host sections, `:vars`, `:children`, ranges, and Python literals as values. */
import { Issues, inventoryTextLimits, type Notes } from "patchbay/plugin";
import { pythonLiteral } from "./python-literal.ts";
import { emptyRange, readHostPattern } from "./ranges.ts";
import { AnsibleText } from "./text.ts";

type Kind = "hosts" | "vars" | "children";

/** @throws ServiceError Validation, PayloadTooLarge */
export function readAnsibleIni(text: string, notes: Notes): AnsibleText {
  const read = new AnsibleText();
  const problems = new Issues();
  let section: { name: string; kind: Kind } = { name: "ungrouped", kind: "hosts" };
  let line = 0;
  for (const written of text.split(/\r\n|\r|\n/)) {
    line++;
    const at = `line ${line}`;
    const bare = written.replace(/^\ufeff/, "").trim();
    if (bare === "" || bare.startsWith("#") || bare.startsWith(";")) continue;
    if (bare.length > inventoryTextLimits.lineChars) {
      problems.add(at, `has more than ${inventoryTextLimits.lineChars} characters`);
      continue;
    }
    const header = /^\[([^:\]\s]+)(?::(\w+))?\]\s*(?:[#;].*)?$/.exec(bare);
    if (header) {
      const [, name = "", kind = "hosts"] = header;
      if (kind === "hosts" || kind === "vars" || kind === "children") {
        read.group(name, at);
        section = { name, kind };
      } else problems.add(at, "a section must be [group], [group:vars] or [group:children]");
    } else if (bare.startsWith("[") && /^\[[^\]]*\]?$/.test(bare))
      problems.add(at, "the section is not closed, or has blanks");
    else takeLine(read, section, bare, at, { wrong: (message) => problems.add(at, message), notes });
  }
  problems.check();
  return read;
}

function takeLine(
  read: AnsibleText,
  { name, kind }: { name: string; kind: Kind },
  line: string,
  at: string,
  { wrong, notes }: { wrong: (message: string) => void; notes: Notes },
): void {
  const group = read.group(name, at);
  /** A value that is no literal of Python is text. */
  const literalOf = (text: string): unknown => {
    const literal = pythonLiteral(text);
    for (const lost of literal?.lost ?? []) notes.add(at, lost);
    return literal === undefined ? text : literal.value;
  };
  if (kind === "vars") {
    const [, key, value = ""] = /^([^=]+?)\s*=\s*(.*)$/s.exec(line) ?? [];
    if (key === undefined) wrong("must be name=value");
    else group.vars.set(key, literalOf(value));
    return;
  }
  const words = wordsOf(line);
  if (typeof words === "string") return void wrong(words);
  const [first = "", ...others] = words;
  if (kind === "children") {
    if (others.length > 0 || !/^[^:=\s]+$/.test(first)) return void wrong("must be the name of one group");
    read.group(first, at);
    group.children.add(first);
    return;
  }
  const hosts = readHostPattern(first);
  if (typeof hosts === "string") return void wrong(hosts);
  if (hosts.names.length === 0) notes.add(at, emptyRange);
  const vars = new Map<string, unknown>();
  if (hosts.port !== undefined) vars.set("ansible_port", hosts.port);
  for (const word of others) {
    const [, key, value = ""] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    if (key === undefined) return void wrong("variables after the host must be name=value");
    vars.set(key, literalOf(value));
  }
  for (const host of hosts.names) {
    const hostEntry = read.host(host, at);
    group.hosts.add(host);
    for (const [key, value] of vars) hostEntry.vars.set(key, value);
  }
}

/** Splits a line as Python's shlex does, where `#` begins a comment even within a word. @returns the words, or an error message */
function wordsOf(line: string): string[] | string {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const sign = line.charAt(at);
    if (quote !== "") {
      if (sign === quote) quote = "";
      else if (sign === "\\" && quote === '"' && /["\\]/.test(line.charAt(at + 1))) word += line.charAt(++at);
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= "";
    } else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (sign === "#") break;
    else if (sign === "\\" && at + 1 === line.length) return "a backslash stands at the end of the line";
    else word = (word ?? "") + (sign === "\\" ? line.charAt(++at) : sign);
  }
  if (quote !== "") return "a quote is not closed";
  if (word !== undefined) words.push(word);
  return words;
}
