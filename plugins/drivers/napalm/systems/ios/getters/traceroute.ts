/** `traceroute` of IOS. */
import { addressOrText } from "../../../common/addresses.ts";
import { linesOf, wordsOf } from "../../../common/text.ts";
import type { Getter } from "../../../system.ts";
import type { IosDevice } from "../device.ts";

interface Probe {
  rtt: number;
  ip_address: string;
  host_name: string;
}

const leastProbes = 3;
/** More than any device sends per hop. */
const maxProbes = 100;

export const traceroute: Getter<IosDevice, "traceroute"> = async (device, args) => {
  const { destination, source, ttl, timeout, vrf } = args;
  const command = [
    `traceroute ${vrf === "" ? "" : `vrf ${vrf} `}${destination}`,
    ...(source === "" ? [] : [`source ${source}`]),
    ...(ttl === 0 ? [] : [`ttl 0 ${ttl}`]),
    ...(timeout === 0 ? [] : [`timeout ${timeout}`]),
  ].join(" ");
  const output = await device.ask(command);
  if (/Unrecognized host or address/.test(output)) return { error: `unknown host ${destination}` };
  if (/^\s*% ?Invalid/m.test(output)) return { error: output };
  return { success: hopsOf(output) };
};

function hopsOf(output: string) {
  const hops: Record<string, { probes: Record<string, Probe> }> = {};
  let words: string[] | undefined;
  let hop = "";
  const finish = () => {
    if (words !== undefined) hops[hop] = { probes: probesOf(words) };
  };
  for (const line of linesOf(output)) {
    const [, number, rest = ""] = /^\s+(\d{1,3})(?=\s)(.*)$/.exec(line) ?? [];
    if (number !== undefined) {
      finish();
      hop = number;
      words = wordsOf(withoutNotes(rest));
    } else words?.push(...wordsOf(withoutNotes(line)));
  }
  finish();
  return hops;
}

/** `[AS 3356]`, `[MPLS: Label 24 Exp 0]` */
const withoutNotes = (text: string) => text.replace(/\[[^\]]{0,200}\]/g, " ");

/** A time belongs to the preceding address; a star is an unanswered probe. */
function probesOf(words: readonly string[]): Record<string, Probe> {
  const probes: Probe[] = [];
  const of = { ip_address: "", host_name: "" };
  for (const [at, word] of words.entries()) {
    if (probes.length >= maxProbes) break;
    if (word === "*") probes.push({ rtt: 0, ip_address: "", host_name: "" });
    else if (word === "msec" || word.startsWith("!")) continue;
    else if (/^\d+$/.test(word) && words[at + 1] === "msec") probes.push({ rtt: Number(word), ...of });
    else if (word.startsWith("(")) {
      const inner = word.replace(/[()]/g, "");
      of.ip_address = addressOrText(inner);
    } else {
      of.host_name = word;
      of.ip_address = addressOrText(word);
    }
  }
  while (probes.length < leastProbes) probes.push({ rtt: 0, ip_address: "", host_name: "" });
  return Object.fromEntries(probes.map((probe, at) => [String(at + 1), probe]));
}
