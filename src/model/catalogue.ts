import type { Price } from './usage.ts';

/** What is known of one model. Everything may be missing: an unknown model works too. */
export interface ModelFacts {
  /** Tokens that its window holds, prompt and answer together. */
  contextTokens?: number | undefined;
  /** What `reasoning_effort` may be; none where the model takes no such parameter. */
  reasoningEfforts?: readonly string[] | undefined;
  /** Whether it reads images; taken to, unless it is known not to. */
  images?: boolean | undefined;
  price?: Price | undefined;
}

/** The window that an unknown model is taken to have, in tokens. */
export const USUAL_CONTEXT_TOKENS = 128_000;

/** An endpoint that is known by name. */
export interface Preset {
  baseURL: string;
  /** The variable of its key; undefined where it asks for none. */
  apiKeyEnv: string | undefined;
  models: Readonly<Record<string, ModelFacts>>;
}

const GPT_5: ModelFacts = {
  contextTokens: 400_000,
  reasoningEfforts: ['minimal', 'low', 'medium', 'high'],
  images: true,
};
const GPT_4_1: ModelFacts = { contextTokens: 1_047_576, reasoningEfforts: [], images: true };
const DEEPSEEK: ModelFacts = {
  contextTokens: 128_000,
  reasoningEfforts: [],
  images: false,
  price: { input: 0.28, cachedInput: 0.028, output: 0.42 },
};

/** The endpoints that need no configuration but a key. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: {
    baseURL: 'https://api.openai.com/v1',
    apiKeyEnv: 'OPENAI_API_KEY',
    models: {
      'gpt-5': { ...GPT_5, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
      'gpt-5-mini': { ...GPT_5, price: { input: 0.25, cachedInput: 0.025, output: 2 } },
      'gpt-5-nano': { ...GPT_5, price: { input: 0.05, cachedInput: 0.005, output: 0.4 } },
      'gpt-4.1': { ...GPT_4_1, price: { input: 2, cachedInput: 0.5, output: 8 } },
      'gpt-4.1-mini': { ...GPT_4_1, price: { input: 0.4, cachedInput: 0.1, output: 1.6 } },
    },
  },
  deepseek: {
    baseURL: 'https://api.deepseek.com/v1',
    apiKeyEnv: 'DEEPSEEK_API_KEY',
    models: { 'deepseek-chat': DEEPSEEK, 'deepseek-reasoner': DEEPSEEK },
  },
  openrouter: {
    baseURL: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
    models: {},
  },
  ollama: { baseURL: 'http://localhost:11434/v1', apiKeyEnv: undefined, models: {} },
};

/** What may be tried on a model nobody knows anything about. */
export const USUAL_EFFORTS: readonly string[] = ['minimal', 'low', 'medium', 'high'];
