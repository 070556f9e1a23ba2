//! The cost of calls: what one has cost, and before it what it may cost. Where a server counts no tokens, they are
//! estimated from the bytes of the texts.

use domain::id::UsageEventId;
use domain::work::conversation::PICTURE_BYTES;
use domain::work::usage::{MicroCredits, Prices, TokenCounts};
use store::work::usage::ModelCharge;

use crate::models::file::ModelSettings;
use crate::models::sent::pictures;
use crate::models::{Model, OUTPUT_TOKENS, Question};

/// Bytes of a token, where nothing better is known. English has some four, JSON and other languages fewer.
const TOKEN_BYTES: i64 = 3;
/// Fewest tokens for which a model is asked, unless its own limit is lower. Fewer are no answer.
const LEAST_TOKENS: i64 = 256;
/// Number of tokens that a price covers.
const TOKENS_PRICED: i128 = 1_000_000;

/// The size of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuestionSize {
    bytes: i64,
    tokens: i64,
}

impl QuestionSize {
    /// The size of a question of this many bytes. `last` is an earlier question of the run with the tokens that the server
    /// counted.
    fn of(bytes: i64, last: Option<Self>) -> Self {
        let tokens = match last {
            Some(last) if last.bytes > 0 => {
                let scaled = i128::from(bytes) * i128::from(last.tokens) / i128::from(last.bytes);
                i64::try_from(scaled).unwrap_or(i64::MAX)
            }
            _ => bytes / TOKEN_BYTES,
        };
        Self { bytes, tokens: tokens.saturating_add(1) }
    }

    /// The size with the tokens that the server counted; `None` if it counted none.
    pub fn counted(self, tokens: &TokenCounts) -> Option<Self> {
        let told = tokens.prompt.saturating_add(tokens.cache_write).saturating_add(tokens.cache_read);
        (told > 0).then_some(Self { tokens: told, ..self })
    }
}

impl Model {
    /// Most tokens of an answer.
    pub(super) fn most_output_tokens(&self) -> u32 {
        self.settings.max_output_tokens.unwrap_or(OUTPUT_TOKENS)
    }

    /// The size of a question for this model; `last` as [`QuestionSize::counted`] said of the question before.
    pub fn size(&self, question: &Question<'_>, last: Option<QuestionSize>) -> QuestionSize {
        let body = serde_json::to_vec(&self.body(question)).unwrap_or_default();
        let shown =
            question.messages.iter().flat_map(pictures).filter(|_| self.settings.protocol.shows_pictures());
        // A picture costs by its area, which its bytes don't tell.
        let bytes = shown.fold(body.len(), |bytes, picture| {
            bytes.saturating_sub(picture.data.len()).saturating_add(PICTURE_BYTES)
        });
        QuestionSize::of(i64::try_from(bytes).unwrap_or(i64::MAX), last)
    }

    /// Most tokens of an answer that `left` pays for, the question included; an error is the least that a call may cost.
    pub fn affordable(&self, size: QuestionSize, left: MicroCredits) -> Result<u32, MicroCredits> {
        let most = self.most_output_tokens();
        let Some(prices) = self.settings.prices else { return Ok(most) };
        // A question may be written to the provider's cache as a whole, which may cost more.
        let prices = Prices { prompt: prices.prompt.max(prices.cache_write), ..prices };
        let cost = |completion: i64| {
            prices.of(&TokenCounts { prompt: size.tokens, completion, ..TokenCounts::default() })
        };
        let least = LEAST_TOKENS.min(most.into());
        if cost(least) > left {
            return Err(cost(least));
        }
        if prices.completion.0 == 0 {
            return Ok(most);
        }
        let for_answer =
            i128::from(left.0.saturating_sub(cost(0).0)) * TOKENS_PRICED / i128::from(prices.completion.0);
        Ok(u32::try_from(for_answer).unwrap_or(u32::MAX).clamp(u32::try_from(least).unwrap_or(most), most))
    }

    /// The charge of a call whose server counted these tokens. Those that it didn't count are estimated from the size of the
    /// question and the bytes of the answer.
    pub fn spent(
        &self,
        call: UsageEventId,
        told: TokenCounts,
        size: QuestionSize,
        answered: usize,
    ) -> ModelCharge {
        let mut tokens = told;
        if size.counted(&told).is_none() {
            tokens.prompt = size.tokens;
        }
        if told.completion == 0 && told.reasoning == 0 {
            tokens.completion = i64::try_from(answered).unwrap_or(i64::MAX).div_euclid(TOKEN_BYTES);
        }
        let ModelSettings { provider, model, prices, .. } = &self.settings;
        ModelCharge {
            call,
            provider: provider.clone(),
            model: model.clone(),
            tokens,
            is_estimated: tokens != told,
            credits: prices.unwrap_or_default().of(&tokens),
        }
    }
}
