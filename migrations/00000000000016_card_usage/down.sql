drop index card_history_session;
