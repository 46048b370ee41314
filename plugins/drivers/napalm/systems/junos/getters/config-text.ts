/** The configuration of Junos as text. */
import { formatXml, PluginError, xml } from "patchbay/plugin";
import type { Getter } from "../../../system.ts";
import type { JunosDevice } from "../device.ts";

const formats: readonly string[] = ["text", "set", "xml", "json"];

export const get_config: Getter<JunosDevice, "get_config"> = async (
  device,
  { retrieve, sanitized, format },
) => {
  if (!formats.includes(format))
    throw new PluginError(
      "DriverError",
      `get_config: the formats of junos are ${formats.join(", ")}, not "${format}".`,
      { outcome: "none" },
    );
  const read = async (name: "running" | "candidate", database: string) => {
    if (retrieve !== "all" && retrieve !== name) return "";
    const text = await configurationText(device, format, database);
    return sanitized ? withoutSecrets(text) : text;
  };
  const [candidate, running] = await Promise.all([
    read("candidate", "candidate"),
    read("running", "committed"),
  ]);
  return { startup: "", running, candidate };
};

async function configurationText(device: JunosDevice, format: string, database: string): Promise<string> {
  const reply = await device.ask(xml("get-configuration", { format, database }));
  const [answer] = reply.children;
  if (answer === undefined) return reply.text;
  return format === "xml" ? formatXml(answer) : answer.text;
}

/** Community names and encrypted values. */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/^(\s+community )[^\s;{]+(\s*[;{].*)$/gm, "$1<removed>$2"],
  [/^((?:set )?.*\bsnmp community )[^\s;{]+(.*)$/gm, "$1<removed>$2"],
  [/"\$\d\$[^"\s]+"/g, "<removed>"],
  [/\$\d\$[^"<\s]{4,}/g, "<removed>"],
];

function withoutSecrets(text: string): string {
  return secrets.reduce((now, [pattern, replacement]) => now.replace(pattern, replacement), text);
}
