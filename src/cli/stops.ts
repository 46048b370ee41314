/** What a push that stopped before its end is told as. */
import type { ServiceError } from "../base/errors.ts";
import { refused } from "./errors.ts";
import type { Stop } from "./push.ts";

type Refused = Extract<Stop, { kind: "refused" }>;
type Left = Extract<Stop, { kind: "left" }>;

export function lineLeft({ line, output, prompt, sent, unsent }: Left, transcript: string): ServiceError {
  const rest = unsent.length === 1 ? "1 line was" : `${unsent.length} lines were`;
  return refused(
    `The line ${JSON.stringify(line.trim())} left the configuration, to the prompt ${JSON.stringify(prompt)}: ${rest} not sent, the first of them ${JSON.stringify(unsent[0] ?? "")}. driver_args.allow_exit sends them all the same.`,
    line,
    output,
    { prompt, sent: [...sent], unsent: [...unsent], partial: transcript },
  );
}

export function lineRefused({ line, output, matched, sent }: Refused, transcript: string): ServiceError {
  return refused(`Invalid input detected at command: ${line.trim()}`, line, output, {
    matched,
    sent: [...sent],
    partial: transcript,
  });
}
