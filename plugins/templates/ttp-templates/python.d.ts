/** Python files that are imported as their text. */
declare module "*.py" {
  const text: string;
  export default text;
}
