/** Parses JSON from devices with limits on depth and number of values. */
import { PluginError } from "patchbay/plugin";

const maxDepth = 100;
/** An empty object of two bytes takes thirty times as much memory once parsed. */
const maxValues = 2_000_000;

/**
 * @throws SyntaxError if it is not JSON
 * @throws PluginError OutputTooLarge
 */
export function readDeviceJson(text: string): unknown {
  checkSize(text);
  return JSON.parse(text);
}

function checkSize(text: string): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at);
        break;
      case 0x7b:
      case 0x5b:
        if (++depth > maxDepth)
          throw tooLarge(`The device's response is nested deeper than ${maxDepth} levels.`);
        break;
      case 0x7d:
      case 0x5d:
        depth--;
        break;
      case 0x2c:
        if (++values > maxValues)
          throw tooLarge(`The device's response contains more than ${maxValues} values.`);
    }
  }
}

/** For an unterminated string: the end of the text. */
function endOfString(text: string, open: number): number {
  let at = open + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return text.length;
    let back = close - 1;
    while (text.charCodeAt(back) === 0x5c) back--;
    if ((close - back) % 2 === 1) return close;
    at = close + 1;
  }
}

const tooLarge = (message: string) => new PluginError("OutputTooLarge", message);

/** Error for an HTTP response that does not follow the switch's API. */
export function switchFault(words: string, outcome?: "none"): PluginError {
  return new PluginError("DriverError", `The switch ${words}.`, outcome === undefined ? {} : { outcome });
}
