/** Error of a push that stopped before its end. */
import type { ServiceError } from "../../../base/errors.ts";
import { refused } from "../exchange/errors.ts";
import { unendedMessage } from "./block-text.ts";
import type { Stop } from "./push.ts";

type Refused = Extract<Stop, { kind: "refused" }>;
type Left = Extract<Stop, { kind: "left" }>;
type Open = Extract<Stop, { kind: "open" }>;
type Altered = Extract<Stop, { kind: "altered" }>;

export function stopped(stop: Stop, transcript: string): ServiceError {
  switch (stop.kind) {
    case "left":
      return lineLeft(stop, transcript);
    case "open":
      return blockOpen(stop, transcript);
    case "altered":
      return lineAltered(stop, transcript);
    case "refused":
      return lineRefused(stop, transcript);
  }
}

function lineAltered({ line, shown, output, sent }: Altered, transcript: string): ServiceError {
  return refused(
    `The device shows the line ${JSON.stringify(line.trim())} as ${JSON.stringify(shown)}: it has read another line than was sent, and may have stored it. The push was stopped there; set driver_args.cmd_verify to false if this device does not show its lines as typed.`,
    line,
    output,
    { sent: [...sent], partial: transcript },
  );
}

function blockOpen(stop: Open, transcript: string): ServiceError {
  const { line, output, sent, unsent } = stop;
  const rest =
    unsent.length === 0
      ? ""
      : `: ${unsent.length === 1 ? "1 line was" : `${unsent.length} lines were`} not sent, the first of them ${JSON.stringify(unsent[0])}`;
  return refused(`${unendedMessage(stop)}${rest}.`, line, output, {
    sent: [...sent],
    unsent: [...unsent],
    partial: transcript,
  });
}

export function lineLeft({ line, output, prompt, sent, unsent }: Left, transcript: string): ServiceError {
  const rest = unsent.length === 1 ? "1 line was" : `${unsent.length} lines were`;
  return refused(
    `The line ${JSON.stringify(line.trim())} left the configuration, to the prompt ${JSON.stringify(prompt)}: ${rest} not sent, the first of them ${JSON.stringify(unsent[0] ?? "")}. Set driver_args.allow_exit to send them anyway.`,
    line,
    output,
    { prompt, sent: [...sent], unsent: [...unsent], partial: transcript },
  );
}

function lineRefused(stop: Refused, transcript: string): ServiceError {
  const { line, output, matched, sent, ahead } = stop;
  const taken = sent.slice(0, sent.length - (ahead?.length ?? 0) - 1).filter((text) => text !== "");
  const said = stop.mixed
    ? `The output of the line ${JSON.stringify(line.trim())} is mixed with the echoes of lines that were sent together with it, and may be a refusal. Read the configuration back, and push without driver_args.pipeline`
    : `Invalid input detected at command: ${line.trim()}`;
  return refused(`${said}${behind(stop)}`, line, output, {
    matched,
    sent: [...sent],
    ...(ahead === undefined ? {} : { taken: [...taken], ahead: ahead.map((line) => ({ ...line })) }),
    ...(ahead?.some((line) => line.taken === undefined) ? { outcome: "unknown" as const } : {}),
    partial: transcript,
  });
}

/** The results of lines that were already sent when the refusal came. */
function behind({ ahead = [], doubtful }: Refused): string {
  const doubt = doubtful ? " (or at one of the lines that were sent together with it)" : "";
  if (ahead.length === 0) return doubt;
  const count = (taken: boolean | undefined) => ahead.filter((line) => line.taken === taken).length;
  const parts = [
    [count(true), "taken"],
    [count(false), "refused"],
    [count(undefined), "of unknown end"],
  ].flatMap(([many, what]) => (many === 0 ? [] : [`${many} ${what}`]));
  const lines = ahead.length === 1 ? "The line" : `The ${ahead.length} lines`;
  return `${doubt}. ${lines} after it had already been sent: ${parts.join(", ")}.`;
}
