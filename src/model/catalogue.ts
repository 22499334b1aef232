import type { Price } from './usage.ts';

/** What is known of one model. Everything may be missing: an unknown model works too. */
export interface ModelFacts {
  /** Tokens that its window holds, prompt and answer together. */
  contextTokens?: number | undefined;
  /** Tokens that one answer can have at the most. */
  outputTokens?: number | undefined;
  /** What `reasoning_effort` may be; none where the model takes no such parameter. */
  reasoningEfforts?: readonly string[] | undefined;
  /** Whether it reads images; taken to, unless it is known not to. */
  images?: boolean | undefined;
  price?: Price | undefined;
  /**
   * Whether an answer that calls tools must come back with its thoughts (`reasoning_content`): some
   * providers refuse the next request without them, others refuse it with them.
   */
  sendsReasoning?: boolean | undefined;
}

/** The window that an unknown model is taken to have, in tokens. */
export const USUAL_CONTEXT_TOKENS = 128_000;

/** An endpoint that is known by name. */
export interface Preset {
  baseURL: string;
  /** The variable of its key; undefined where it asks for none. */
  apiKeyEnv: string | undefined;
  models: Readonly<Record<string, ModelFacts>>;
  /** Where the figures come from. */
  source: string;
}

const GPT_5: ModelFacts = {
  contextTokens: 400_000,
  outputTokens: 128_000,
  reasoningEfforts: ['minimal', 'low', 'medium', 'high'],
  images: true,
};
const GPT_4_1: ModelFacts = {
  contextTokens: 1_047_576,
  outputTokens: 32_768,
  reasoningEfforts: [],
  images: true,
};
// Its prices change with the hour of the day, so none is stated.
const DEEPSEEK: ModelFacts = {
  contextTokens: 1_000_000,
  outputTokens: 384_000,
  reasoningEfforts: ['low', 'high', 'max'],
  sendsReasoning: true,
};

/** The endpoints that need no configuration but a key, and what their providers publish of them. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: {
    baseURL: 'https://api.openai.com/v1',
    apiKeyEnv: 'OPENAI_API_KEY',
    source: 'the model pages and the price list of OpenAI, 2026',
    models: {
      'gpt-5': { ...GPT_5, price: { input: 1.25, cachedInput: 0.125, output: 10 } },
      'gpt-5-mini': { ...GPT_5, price: { input: 0.25, cachedInput: 0.025, output: 2 } },
      'gpt-5-nano': { ...GPT_5, price: { input: 0.05, cachedInput: 0.005, output: 0.4 } },
      'gpt-4.1': { ...GPT_4_1, price: { input: 2, cachedInput: 0.5, output: 8 } },
      'gpt-4.1-mini': { ...GPT_4_1, price: { input: 0.4, cachedInput: 0.1, output: 1.6 } },
    },
  },
  deepseek: {
    baseURL: 'https://api.deepseek.com',
    apiKeyEnv: 'DEEPSEEK_API_KEY',
    source: 'the pages "Models & Pricing" and "Thinking Mode" of DeepSeek, 2026',
    models: {
      'deepseek-flash': { ...DEEPSEEK, images: true },
      'deepseek-v4-pro': { ...DEEPSEEK, images: false },
    },
  },
  openrouter: {
    baseURL: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
    source: 'none: it has hundreds of models, which are named as `openrouter/<author>/<model>`',
    models: {},
  },
  ollama: {
    baseURL: 'http://localhost:11434/v1',
    apiKeyEnv: undefined,
    source: 'none: what is installed decides, and is named as `ollama/<model>`',
    models: {},
  },
};

/** What may be tried on a model nobody knows anything about. */
export const USUAL_EFFORTS: readonly string[] = ['minimal', 'low', 'medium', 'high'];
