/** The interpreter, loaded when a template has code or arguments that it must evaluate. */
import { needsForCode, Part } from "../parts.ts";
import type { Interpreter, InterpreterOptions } from "./contract.ts";

export const interpreterPart = new Part(() => import("./interpreter.ts"));

export function createLazyInterpreter(options: InterpreterOptions): Interpreter {
  let made: Interpreter | undefined;
  const interpreter = (source: string): Interpreter => {
    needsForCode(source);
    made ??= interpreterPart.use.createInterpreter(options);
    return made;
  };
  return {
    compile: (source) => interpreter(source).compile(source),
    evaluate: (source, name, meter) => interpreter(source).evaluate(source, name, meter),
  };
}
