/** Extreme switches, formerly Avaya and Nortel: ERS (BOSS), VSP (VOSS, Fabric Engine). */
import type { PlatformPlugin, Question } from "patchbay/plugin";
import { ciscoErrors, ciscoStyle, spacedName } from "./family/family.ts";

/** A banner that waits for Ctrl-Y, a report of failed logins, an additional login, a menu. */
const greeting: readonly Question[] = [
  { ask: /Ctrl-Y to begin[^\n]*$/i, example: "Enter Ctrl-Y to begin.", reply: "\x19", newline: false },
  { ask: /Press ENTER to continue[^\n]*$/i, reply: "" },
  { ask: /user ?name:\s*\**\s*$/i, reply: "{username}" },
  { ask: /password:\s*\**\s*$/i, reply: "{password}" },
  {
    ask: /(?:Command Line Interface\.\.\.|Main Menu|Use arrow keys to highlight)[^\n]*$/i,
    reply: "c",
    newline: false,
  },
];

const yes: Question = { ask: /[[(]y(?:es)?\/n(?:o)?[\])]\s*[?:]?\s*$/i, reply: "y" };

const shared = {
  api: 1,
  kind: "platform",
  home: "privileged",
  config: "config",
  login: greeting,
  questions: [yes],
  legacySsh: true,
} satisfies Partial<PlatformPlugin>;

const ers: PlatformPlugin = {
  ...shared,
  name: "extreme_ers",
  aliases: ["avaya_ers"],
  levels: {
    ...ciscoStyle({ name: `${spacedName}(?:<level-\\d{1,2}>|>(?=#))?` }),
  },
  prepare: ["terminal length 0", "terminal width 132"],
  errors: [...ciscoErrors, /^\s*% ?Cannot modify settings/m],
  pager: {
    prompt: /-{2,4}More ?\(q=Quit[^\n]*/i,
    press: " ",
    example: "----More (q=Quit, space/return=Continue)----",
  },
  save: [{ send: "save config", failed: /^\s*%|fail|error/im }],
  simulated: { rename: "snmp-server name {name}" },
  unsure: ["format of older menus", "answer to a wrong enable password"],
};

/** Includes the number of the control processor: `R1:1#`. */
const style = ciscoStyle({ name: spacedName });

const vsp: PlatformPlugin = {
  ...shared,
  name: "extreme_vsp",
  aliases: ["avaya_vsp"],
  levels: {
    exec: { ...style.exec, example: "R1:1>" },
    privileged: { ...style.privileged, example: "R1:1#" },
    config: { ...style.config, example: "R1:1(config)#" },
  },
  prepare: ["terminal more disable"],
  errors: [...ciscoErrors, /^\s*% ?Cannot modify settings/m, /^Error ?: /m],
  pager: { prompt: /--More-- \(q = quit\)/i, press: " ", example: "--More-- (q = quit)" },
  save: [{ send: "save config", failed: /^\s*%|fail|^Error/im }],
  simulated: { rename: "prompt {name}", saved: "CP-1: Save config to file /intflash/config.cfg successful." },
  files: { by: ["sftp", "scp"] },
  unsure: ["answer to a wrong enable password", "files: requires the switch's own server to be enabled"],
};

export default [ers, vsp];
