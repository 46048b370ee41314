/** Builds the operation that loads a text into the candidate. */
import { PluginError, parseXml, XmlFragment, xml } from "patchbay/plugin";
import { messageOf } from "../../../shared/message.ts";
import type { Encoding } from "./device.ts";
import { cliModel } from "./operations.ts";

/** @throws PluginError DriverError, before anything is sent, if the text cannot be loaded */
export function loadOperation(text: string, replace: boolean, encoding: Encoding): XmlFragment {
  const config =
    encoding === "cli" ? xml("config", {}, xml("cli", { xmlns: cliModel }, text)) : checked(text);
  const target = xml("target", {}, xml("candidate"));
  return replace
    ? xml("copy-config", {}, target, xml("source", {}, config))
    : xml("edit-config", {}, target, xml("error-option", {}, "rollback-on-error"), config);
}

/** Elements of the router's own models, with or without `<config>`. */
function checked(text: string): XmlFragment {
  const source = text.trim().replace(/^<\?xml[^>]*\?>\s*/, "");
  const config = /^<(?:[\w.-]+:)?config[\s>/]/.test(source) ? source : `<config>${source}</config>`;
  try {
    parseXml(config);
  } catch (error) {
    throw new PluginError(
      "DriverError",
      `The configuration was not loaded (config_encoding is xml): ${messageOf(error)}`,
      { outcome: "none" },
    );
  }
  return new XmlFragment(config);
}
