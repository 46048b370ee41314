/** Reads secrets from the terminal or standard input, so that they do not appear in the process list. */
import process from "node:process";
import { StringDecoder } from "node:string_decoder";
import { ServiceError } from "../base/errors.ts";

/** @throws ServiceError Cancelled by Ctrl-C or Ctrl-D */
export async function askAtTerminal(
  prompt: string,
  { hidden }: { readonly hidden: boolean },
): Promise<string> {
  const { stdin, stderr } = process;
  const answer = Promise.withResolvers<string>();
  const decoder = new StringDecoder("utf8");
  let text = "";
  const onData = (bytes: Buffer) => {
    for (const char of decoder.write(bytes)) {
      if (char === "\r" || char === "\n") return answer.resolve(text);
      if (char === "\x03" || char === "\x04")
        return answer.reject(new ServiceError("Cancelled", "Nothing was changed."));
      if (char === "\x7f" || char === "\b") {
        if (text !== "" && !hidden) stderr.write("\b \b");
        text = [...text].slice(0, -1).join("");
      } else if (char >= " ") {
        text += char;
        if (!hidden) stderr.write(char);
      }
    }
  };
  stdin.setRawMode(true);
  stderr.write(prompt);
  stdin.on("data", onData);
  stdin.resume();
  try {
    return await answer.promise;
  } finally {
    stdin.off("data", onData);
    stdin.pause();
    stdin.setRawMode(false);
    stderr.write("\n");
  }
}

/** @throws ServiceError PayloadTooLarge */
export async function readStandardInput(maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > maxBytes)
      throw new ServiceError("PayloadTooLarge", `Standard input has more than ${maxBytes} bytes.`);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString("utf8");
}
