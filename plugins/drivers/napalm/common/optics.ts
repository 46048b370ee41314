/** Optical values of one channel, for devices that report only current values. */
import type { Optics, OpticsState } from "../models.ts";

/** NAPALM's value for no light or an unknown level. */
export const noLight = -100;

/** A level in dBm or mA; non-numeric text means no light. */
export function levelOf(text: string | undefined): number {
  const level = Number.parseFloat(text ?? "");
  return Number.isFinite(level) ? level : noLight;
}

export function channelOf(light: {
  readonly input: number;
  readonly output: number;
  readonly bias: number;
}): Optics["physical_channels"]["channel"][number] {
  const only = (instant: number, rest: number): OpticsState => ({ instant, avg: rest, min: rest, max: rest });
  return {
    index: 0,
    state: {
      input_power: only(light.input, noLight),
      output_power: only(light.output, noLight),
      laser_bias_current: only(light.bias, 0),
    },
  };
}
