import * as z from 'zod';

/** A JSON Schema, as far as the tables look into one. */
export interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  description?: string;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
}

/** The JSON Schema of what `schema` reads. */
export function toSchema(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
}

/** The objects that a union is made of, or the schema itself. */
export function membersOf(schema: Schema): Schema[] {
  const members = schema.oneOf ?? schema.anyOf;
  return members ? members.flatMap(membersOf) : [schema];
}

/** The values of a literal or an enumeration. */
export function valuesOf({ const: literal, enum: values }: Schema): string[] {
  return (values ?? (literal === undefined ? [] : [literal])).map(String);
}

/** The fields of an object but those in `hidden`: `name?`, and the values it can have. */
export function fieldsOf(schema: Schema, hidden: readonly string[] = []): string[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !hidden.includes(name))
    .map(([name, field]) => {
      const mark = schema.required?.includes(name) ? '' : '?';
      const values = field.type === 'string' ? valuesOf(field) : [];
      return `\`${name}${mark}\`${values.length > 1 ? ` (${values.join(', ')})` : ''}`;
    });
}

/** A table of Markdown. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
