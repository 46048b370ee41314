/** Devices with the responses that a test defines, and hostile responses. */
import * as v from "valibot";
import { type ArgumentsOf, type Method, methodArguments } from "../../../plugins/drivers/napalm/methods.ts";

const unknown = "              ^\n% Invalid input detected at '^' marker.\n";

/** Responses by command; the device rejects all others. */
export function deviceSaying(answers: Readonly<Record<string, string>>) {
  return async (command: string): Promise<string> => answers[command] ?? unknown;
}

/** Default arguments, and those of the given ones that the method has. */
export function argumentsOf<M extends Method>(
  method: M,
  given: Readonly<Record<string, unknown>>,
): ArgumentsOf<M> {
  const known = Object.fromEntries(
    Object.entries(given).filter(([name]) => name in methodArguments[method].entries),
  );
  return v.parse(methodArguments[method], known) as ArgumentsOf<M>;
}

const long = 300_000;

/** Each takes quadratic time or worse in a parser that rescans the text. */
export const hostileTexts: readonly string[] = [
  "",
  "\n".repeat(long),
  " ".repeat(long),
  " \n".repeat(long / 2),
  "a".repeat(long),
  "1 ".repeat(long / 2),
  "a is up, line protocol is ".repeat(long / 26),
  `${"-".repeat(80)}\n${"0000.0000.0000 ".repeat(long / 15)}`,
  `${"-".repeat(80)}\n${"  1  0000.0000.0000  static  Gi1/0/1,\n".repeat(5000)}`,
  "BGP neighbor is 10.0.0.1, vrf x, \n For address family: IPv4 Unicast\n".repeat(2000),
  `For address family: IPv4 Unicast\n${"10.0.0.1 4 1 1 1 1 1 1 never Idle\n".repeat(200)}`,
  "[".repeat(long),
  `{"TABLE_interface": ${"[".repeat(2000)}${"]".repeat(2000)}}`,
  "constructor is up, line protocol is up\n  MTU 1500 bytes, BW 1 Kbit\n__proto__ is up, line protocol is up\n",
  "\u0000\ufffd\u2028\n".repeat(10_000),
];
