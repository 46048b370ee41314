/** Detects a file name that was passed in place of the template's text, the most common mistake. */

const FILE_NAME = /^[\w./\\~:-]+\.(?:textfsm|template|tpl|ttp|txt|j2|jinja2?|cfg|conf)$/i;

export function looksLikeFileName(source: string): boolean {
  return source.length < 500 && FILE_NAME.test(source.trim());
}

export function fileNameHint(source: string): string {
  const name = source.trim();
  return `'${name}' looks like the name of a file: send the text of the template, or file://${name} for one below the template roots`;
}
