/** `patchbay manual`: prints the man page, generated from the command definitions. */
import type { Command } from "commander";
import { version } from "../base/version.ts";
import { type CommandInfo, describeCommand, type OptionInfo } from "./describe.ts";
import { print } from "./output.ts";

export function defineManual(parent: Command): void {
  parent
    .command("manual")
    .description("print the manual page in the format of man")
    .action(() => print(manualPage(describeCommand(parent))));
}

export function manualPage(root: CommandInfo): string {
  const commands = flat(root).filter((candidate) => candidate !== root && candidate.commands.length === 0);
  return [
    // No date: reproducible output.
    `.TH PATCHBAY 1 "" "patchbay ${plain(version)}" "User Commands"`,
    ".SH NAME",
    "patchbay \\- network device automation service over an HTTP API",
    ".SH SYNOPSIS",
    ".B patchbay",
    plain(root.usage),
    ".SH DESCRIPTION",
    plain(root.about),
    ".SH OPTIONS",
    ...root.options.map(option),
    ".SH COMMANDS",
    ...commands.map(command),
    ".SH FILES",
    entry("/etc/patchbay/patchbay.toml", "settings of an installed service, read through --config"),
    entry("patchbay.toml", "settings, in the working folder"),
    entry("/var/lib/patchbay", "data of an installed service"),
    ".SH ENVIRONMENT",
    entry(
      "PATCHBAY_*",
      "each setting of patchbay serve: its name in capitals; PATCHBAY_CONFIG names the file",
    ),
    ".SH EXIT STATUS",
    "0 on success, 1 on failure; the reason is printed to standard error.",
    ".SH SEE ALSO",
    ".BR systemctl (1),",
    ".BR journalctl (1)",
  ].join("\n");
}

function flat(info: CommandInfo): CommandInfo[] {
  return [info, ...info.commands.flatMap(flat)];
}

function command({ path, usage, about, options, arguments: values }: CommandInfo): string {
  const descriptions = [
    ...values.filter(({ about }) => about !== "").map(({ name, about }) => entry(`<${name}>`, about)),
    ...options.filter(({ long }) => long !== "--help").map(option),
  ];
  return [`.SS "${plain(`${path} ${usage}`.trim())}"`, plain(about), ...descriptions].join("\n");
}

function option({ flags, about, choices, default: defaultValue }: OptionInfo): string {
  const more = [
    ...(choices.length === 0 ? [] : [`one of ${choices.join(", ")}`]),
    ...(defaultValue === undefined ? [] : [`default ${defaultValue}`]),
  ];
  return entry(flags, more.length === 0 ? about : `${about} (${more.join("; ")})`);
}

function entry(term: string, about: string): string {
  return `.TP\n\\fB${plain(term)}\\fR\n${plain(about)}`;
}

/** Escapes roff requests and escapes. */
function plain(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("\n", " ")
    .replace(/^([.'])/, "\\&$1");
}
