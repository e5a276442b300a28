"""What drivers of machines with tiles share: the lowering of tensors of any size to tiles, and quotients without a division."""
