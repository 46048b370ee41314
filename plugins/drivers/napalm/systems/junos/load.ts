/** Builds the operation that loads a text; detects its format from the beginning. */
import { PluginError, parseXml, XmlFragment, xml } from "patchbay/plugin";
import { messageOf } from "../../../shared/message.ts";

/** First words of `set` style commands. */
const setWords: ReadonlySet<string> = new Set([
  "set",
  "delete",
  "activate",
  "deactivate",
  "annotate",
  "copy",
  "edit",
  "insert",
  "protect",
  "rename",
  "top",
  "unprotect",
  "wildcard",
]);

/** @throws PluginError DriverError, before anything is sent, if the text cannot be loaded */
export function loadOperation(text: string, replace: boolean): XmlFragment {
  const trimmed = text.trim();
  if (trimmed.startsWith("<")) return loadXml(trimmed, replace);
  if (setWords.has(firstWord(trimmed))) {
    if (replace)
      throw refused("commands (set, delete, …) cannot replace a configuration: send it as text, XML or JSON");
    return xml("load-configuration", { format: "text", action: "set" }, xml("configuration-set", {}, text));
  }
  const isJson = trimmed.startsWith("{") && isJsonText(trimmed);
  return xml(
    "load-configuration",
    { format: isJson ? "json" : "text", action: actionOf(replace) },
    xml(isJson ? "configuration-json" : "configuration-text", {}, text),
  );
}

/** The action `replace` merges and honours `replace:` tags. */
const actionOf = (replace: boolean) => (replace ? "override" : "replace");

/** The first word after comments. */
function firstWord(text: string): string {
  const line =
    text.split("\n").find((candidate) => candidate.trim() !== "" && !candidate.trim().startsWith("#")) ?? "";
  return line.trim().split(/\s+/)[0] ?? "";
}

function loadXml(text: string, replace: boolean): XmlFragment {
  const { name } = parsed(text);
  const configuration = name === "configuration" ? text : `<configuration>${text}</configuration>`;
  return xml(
    "load-configuration",
    { format: "xml", action: actionOf(replace) },
    new XmlFragment(configuration.replace(/^<\?xml[^>]*\?>\s*/, "")),
  );
}

function parsed(text: string) {
  try {
    return parseXml(text);
  } catch (error) {
    throw refused(messageOf(error));
  }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function refused(why: string): PluginError {
  return new PluginError("DriverError", `The configuration was not loaded: ${why}`.replace(/\.?$/, "."), {
    outcome: "none",
  });
}
