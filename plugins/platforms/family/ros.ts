/** Common parts of switches with Marvell ROS (formerly Radlan), sold by Cisco, Dell and Eltex. */
import type { Pager, Question, Step } from "patchbay/plugin";
import { ciscoErrors } from "./family.ts";

/** SSH accepts every login; the shell asks for it, unless `ip ssh password-auth` is configured. */
export const rosLogin: readonly Question[] = [
  { ask: /^\s*(?:User ?name|login as):\s*$/i, example: "User Name:", reply: "{username}" },
  { ask: /^\s*Password:\s*$/i, example: "Password:", reply: "{password}" },
];

export const rosErrors: readonly RegExp[] = [
  ...ciscoErrors,
  /^\s*% ?(?:missing mandatory parameter|bad parameter value|wrong number of parameters)/im,
];

export const rosPager: Pager = {
  prompt: /More: <space>[^\n]*/i,
  press: " ",
  example: "More: <space>,  Quit: q or CTRL+Z, One line: <return> ",
};

/** Old releases take any other key as no; they read the RETURN after `Y` as an empty line. */
export const rosOverwrite: Question = {
  ask: /Overwrite file \[startup-config\][^\n]*(?:\(Y\/N\)|\[Yes\/press any key for no\])[^\n]*$/i,
  example: "Overwrite file [startup-config].... (Y/N)[N] ?",
  reply: "Y",
};

export const rosSave: readonly Step[] = [
  {
    send: "write memory",
    questions: [rosOverwrite],
    failed: /copy (?:operation has )?failed|%COPY-[EW]-/i,
  },
];
