/** Parses an Ansible INI inventory: host sections, `:vars`, `:children`, ranges, and Python literals as values. */
import { Issues } from "../../base/issues.ts";
import { AnsibleText } from "./ansible-text.ts";
import { importLimits } from "./document.ts";
import { expandRange } from "./ranges.ts";

type Kind = "hosts" | "vars" | "children";

/** @throws ServiceError Validation, PayloadTooLarge */
export function readAnsibleIni(text: string): AnsibleText {
  const read = new AnsibleText();
  const problems = new Issues();
  let section: { name: string; kind: Kind } = { name: "ungrouped", kind: "hosts" };
  let line = 0;
  for (const [written] of text.matchAll(/^.*$/gm)) {
    line++;
    const at = `line ${line}`;
    const bare = written.replace(/^\ufeff/, "").trim();
    if (bare === "" || bare.startsWith("#") || bare.startsWith(";")) continue;
    if (bare.length > importLimits.lineChars) {
      problems.add(at, `has more than ${importLimits.lineChars} characters`);
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
    else takeLine(read, section, bare, at, (message) => problems.add(at, message));
  }
  problems.check();
  return read;
}

function takeLine(
  read: AnsibleText,
  { name, kind }: { name: string; kind: Kind },
  line: string,
  at: string,
  wrong: (message: string) => void,
): void {
  const group = read.group(name, at);
  if (kind === "vars") {
    const [, key, value = ""] = /^([\w.-]+)\s*=\s*(.*)$/s.exec(line) ?? [];
    if (key === undefined) wrong("must be name=value");
    else group.vars.set(key, pythonValue(withoutComment(value)));
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
  const { pattern, port } = splitPort(first);
  const names = expandRange(pattern);
  if (typeof names === "string") return void wrong(names);
  for (const host of names) {
    const hostEntry = read.host(host, at);
    group.hosts.add(host);
    if (port !== undefined) hostEntry.vars.set("ansible_port", Number(port));
    for (const word of others) {
      const [, key, value = ""] = /^([\w.-]+)=(.*)$/s.exec(word) ?? [];
      if (key === undefined) return void wrong("variables after the host must be name=value");
      hostEntry.vars.set(key, pythonValue(value));
    }
  }
}

/** Two or more colons outside of brackets make an IPv6 address. */
function splitPort(text: string): { pattern: string; port?: string } {
  const [, pattern = "", port = ""] = /^(.*):(\d{1,5})$/s.exec(text) ?? [];
  const isAddress = pattern.replace(/\[[^\]]*\]/g, "").includes(":");
  return port === "" || pattern.endsWith(":") || isAddress ? { pattern: text } : { pattern, port };
}

/** Splits a line as a shell does. @returns the words, or an error message */
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
    } else if (sign === "#" && word === undefined) break;
    else word = (word ?? "") + (sign === "\\" ? line.charAt(++at) : sign);
  }
  if (quote !== "") return "a quote is not closed";
  if (word !== undefined) words.push(word);
  return words;
}

function withoutComment(value: string): string {
  return /^["']/.test(value) ? value : value.replace(/\s+#.*$/, "");
}

/** The value of a Python literal; any other text as it is. */
function pythonValue(text: string): unknown {
  if (/^-?(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (/^-?\d{1,15}\.\d{1,15}$/.test(text)) return Number(text);
  if (text === "True") return true;
  if (text === "False") return false;
  if (text === "None") return null;
  const [, inner] = /^"([^"\\]*)"$/.exec(text) ?? /^'([^'\\]*)'$/.exec(text) ?? [];
  if (inner !== undefined) return inner;
  if (!/^[[{]/.test(text)) return text;
  for (const json of [
    text,
    text
      .replaceAll("'", '"')
      .replace(/\bTrue\b/g, "true")
      .replace(/\bFalse\b/g, "false")
      .replace(/\bNone\b/g, "null"),
  ]) {
    try {
      const value: unknown = JSON.parse(json);
      return value;
    } catch {
      // Not a literal: Ansible keeps it as text.
    }
  }
  return text;
}
