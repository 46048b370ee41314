/** Resolves plain scalars by YAML 1.1: null, boolean, number or text. */

export const NULL = /^(?:~|null|Null|NULL|)$/;
export const TRUE = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
export const FALSE = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
export const INT =
  /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/;
export const FLOAT =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const DATE =
  /^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$/;

/** Whether plain text would be read as another type. */
export function looksLikeOther(text: string): boolean {
  return (
    text === "=" ||
    text === "<<" ||
    [NULL, TRUE, FALSE, INT, FLOAT, DATE].some((pattern) => pattern.test(text))
  );
}
