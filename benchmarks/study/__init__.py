"""The study: error against budget of scrimp's Frontier and of what people use today."""
