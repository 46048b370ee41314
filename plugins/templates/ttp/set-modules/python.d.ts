/** Python files imported as text. */
declare module "*.py" {
  const text: string;
  export default text;
}
